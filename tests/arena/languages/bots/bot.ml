let rec find text word at =
  if String.sub text at (String.length word) = word then at + String.length word else find text word (at + 1)

let has text word = try ignore (find text word 0); true with Invalid_argument _ -> false

let until text word last =
  let at = find text word 0 in
  String.sub text at (String.index_from text at last - at)

let () =
  try
    while true do
      let line = input_line stdin in
      if has line "\"hello\"" then print_endline "{\"type\":\"ready\"}";
      if has line "\"ask\"" then
        Printf.printf "{\"id\":%s,\"move\":%s}}\n%!" (until line "\"id\":" ',')
          (until line "\"legal\":[" '}')
    done
  with End_of_file -> ()
