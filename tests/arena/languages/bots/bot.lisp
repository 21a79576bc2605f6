(defun until (line word end)
  (let ((at (+ (search word line) (length word))))
    (subseq line at (position end line :start at))))

(loop for line = (read-line *standard-input* nil)
      while line
      do (cond ((search "\"hello\"" line) (format t "{\"type\":\"ready\"}~%"))
               ((search "\"ask\"" line)
                (format t "{\"id\":~a,\"move\":~a}}~%"
                        (until line "\"id\":" #\,) (until line "\"legal\":[" #\}))))
         (finish-output))
