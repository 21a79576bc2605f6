"use strict";

// Puts files into one archive, as `tar` does, so that a folder can be sent as one file.
const arenaArchive = (() => {
  const [BLOCK, MODE, PROGRAM] = [512, 0o644, 0o755];
  const utf8 = new TextEncoder();

  /** Whether a file is a program: a browser does not say what may be executed. */
  async function isProgram(file) {
    const [a, b, c, d] = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    return (a === 0x23 && b === 0x21) || (a === 0x7f && b === 0x45 && c === 0x4c && d === 0x46); // #! or ELF
  }

  function put(header, at, text) {
    header.set(typeof text === "string" ? utf8.encode(text) : text, at);
  }

  const octal = (number, digits) => `${number.toString(8).padStart(digits, "0")}\0`;

  function header(path, size, mode, kind) {
    const made = new Uint8Array(BLOCK);
    put(made, 0, utf8.encode(path).slice(0, 100));
    put(made, 100, octal(mode, 7) + octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11));
    put(made, 148, " ".repeat(8));
    put(made, 156, kind);
    put(made, 257, "ustar\u000000");
    const sum = made.reduce((all, byte) => all + byte, 0);
    put(made, 148, `${octal(sum, 6)} `);
    return made;
  }

  const padding = (size) => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

  /** Return a record that gives the next file's whole path, where it is longer than a header takes. */
  function pathRecord(path) {
    const tail = ` path=${path}\n`;
    const bytes = utf8.encode(tail).length;
    let length = bytes + String(bytes).length;
    if (String(length).length !== String(bytes).length) length = bytes + String(length).length;
    const record = utf8.encode(`${length}${tail}`);
    return [header("path", record.length, MODE, "x"), record, padding(record.length)];
  }

  /** Return an archive of files, each with its `path`. */
  async function tar(files) {
    const parts = [];
    for (const { path, file } of files) {
      if (utf8.encode(path).length > 100 || /[^ -~]/.test(path)) parts.push(...pathRecord(path));
      const mode = (await isProgram(file)) ? PROGRAM : MODE;
      parts.push(header(path, file.size, mode, "0"), file, padding(file.size));
    }
    parts.push(new Uint8Array(2 * BLOCK));
    return new Blob(parts, { type: "application/x-tar" });
  }

  return Object.freeze({ tar });
})();
