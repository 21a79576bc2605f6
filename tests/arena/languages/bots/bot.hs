import Data.List (isInfixOf, isPrefixOf, tails)
import System.IO

after :: String -> String -> String
after word text = head [drop (length word) rest | rest <- tails text, word `isPrefixOf` rest]

answer :: String -> String
answer line
  | "\"hello\"" `isInfixOf` line = "{\"type\":\"ready\"}\n"
  | "\"ask\"" `isInfixOf` line =
      "{\"id\":" ++ takeWhile (/= ',') (after "\"id\":" line)
        ++ ",\"move\":" ++ takeWhile (/= '}') (after "\"legal\":[" line) ++ "}}\n"
  | otherwise = ""

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  interact (concatMap answer . lines)
