input <- file("stdin", "r")
part <- function(line, pattern) regmatches(line, regexec(pattern, line))[[1]][2]
while (length(line <- readLines(input, n = 1)) > 0) {
  if (grepl('"hello"', line, fixed = TRUE)) cat('{"type":"ready"}\n')
  if (grepl('"ask"', line, fixed = TRUE))
    cat('{"id":', part(line, '"id":([0-9]+)'), ',"move":', part(line, '"legal":\\[(\\{[^}]*\\})'), '}\n', sep = "")
}
