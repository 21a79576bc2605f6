#lang racket/base
(define (part line pattern) (cadr (regexp-match pattern line)))
(for ([line (in-lines)])
  (when (regexp-match? #rx"\"hello\"" line) (displayln "{\"type\":\"ready\"}"))
  (when (regexp-match? #rx"\"ask\"" line)
    (printf "{\"id\":~a,\"move\":~a}\n"
            (part line #rx"\"id\":([0-9]+)") (part line #rx"\"legal\":\\[({[^}]*})")))
  (flush-output))
