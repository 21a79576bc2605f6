(use-modules (ice-9 rdelim))

(define (until line word end)
  (let ((at (+ (string-contains line word) (string-length word))))
    (substring line at (string-index line end at))))

(let loop ((line (read-line)))
  (unless (eof-object? line)
    (cond ((string-contains line "\"hello\"") (display "{\"type\":\"ready\"}\n"))
          ((string-contains line "\"ask\"")
           (display (string-append "{\"id\":" (until line "\"id\":" #\,)
                                   ",\"move\":" (until line "\"legal\":[" #\}) "}}\n"))))
    (force-output)
    (loop (read-line))))
