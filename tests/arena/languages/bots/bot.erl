#!/usr/bin/env escript
main(_) -> io:setopts([{binary, true}]), loop().

loop() ->
    case io:get_line("") of
        eof -> ok;
        Line -> answer(Line), loop()
    end.

answer(Line) ->
    case {binary:match(Line, <<"\"hello\"">>), binary:match(Line, <<"\"ask\"">>)} of
        {nomatch, nomatch} -> ok;
        {nomatch, _} ->
            Id = until(Line, <<"\"id\":">>, <<",">>),
            Move = until(Line, <<"\"legal\":[">>, <<"}">>),
            io:put_chars(["{\"id\":", Id, ",\"move\":", Move, "}}\n"]);
        _ -> io:put_chars("{\"type\":\"ready\"}\n")
    end.

until(Line, Word, End) ->
    [_, Rest] = binary:split(Line, Word),
    hd(binary:split(Rest, End)).
