for line in io.lines() do
  if line:find('"hello"') then print('{"type":"ready"}') end
  if line:find('"ask"') then
    local id, move = line:match('"id":(%d+)'), line:match('"legal":%[(%b{})')
    print('{"id":' .. id .. ',"move":' .. move .. '}')
  end
  io.flush()
end
