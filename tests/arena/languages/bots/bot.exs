until = fn line, word, last -> line |> String.split(word) |> Enum.at(1) |> String.split(last) |> hd end

for line <- IO.stream(:stdio, :line) do
  cond do
    line =~ ~s("hello") -> IO.puts(~s({"type":"ready"}))
    line =~ ~s("ask") ->
      id = until.(line, ~s("id":), ",")
      move = until.(line, ~s("legal":[), "}")
      IO.puts(~s({"id":) <> id <> ~s(,"move":) <> move <> "}}")
    true -> nil
  end
end
