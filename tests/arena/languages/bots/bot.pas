program Bot;
{$H+}
function Until_(const line, word: string; last: char): string;
var rest: string;
begin
  rest := Copy(line, Pos(word, line) + Length(word), Length(line));
  Until_ := Copy(rest, 1, Pos(last, rest) - 1);
end;
var line: string;
begin
  while not Eof do begin
    ReadLn(line);
    if Pos('"hello"', line) > 0 then WriteLn('{"type":"ready"}');
    if Pos('"ask"', line) > 0 then
      WriteLn('{"id":', Until_(line, '"id":', ','), ',"move":', Until_(line, '"legal":[', '}'), '}}');
    Flush(Output);
  end;
end.
