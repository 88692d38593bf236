;;; session.el --- A session of Emacs that a test drives  -*- lexical-binding: t -*-

;;; Commentary:

;; `emacs --batch -l SETTINGS -l session.el FILE' opens a file with the settings of the book, and prints a line for each
;; thing that its user would see: what manages the buffer, the findings, the hover, the text after a fix. The findings are
;; told when one of them has the text that the variable SESSION_FINDING names.

;;; Code:

(defun session-wait (what holds)
  "Wait until HOLDS returns something, which is the result; WHAT is for people."
  (let ((tries 0) (found nil))
    (while (not (setq found (funcall holds)))
      (when (> (setq tries (1+ tries)) 600)
        (error "Never: %s" what))
      (accept-process-output nil 0.1))
    found))

(defun session-say (name value)
  "Print VALUE under NAME, as one line."
  (princ (format "%s: %s\n" name (replace-regexp-in-string "\n" " / " (format "%s" value)))))

(setq eglot-confirm-server-initiated-edits nil
      eglot-sync-connect nil)
(find-file (pop command-line-args-left))
;; The hook of the settings waits for a command of the user, and there is none here.
(session-wait "the server manages the buffer"
              (lambda ()
                (unless (eglot-managed-p) (run-hooks 'post-command-hook))
                (eglot-managed-p)))
(session-say "managed" (plist-get (eglot--server-info (eglot-current-server)) :name))
(session-say "findings"
             (session-wait
              "the finding"
              (lambda ()
                (flymake-start)
                (let ((all (mapconcat #'flymake-diagnostic-text (flymake-diagnostics) "; ")))
                  (and (string-match-p (regexp-quote (getenv "SESSION_FINDING")) all) all)))))
(goto-char (point-min))
(search-forward "a: T.let")
(goto-char (match-beginning 0))
(session-say "hover"
             (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                                           (eglot--TextDocumentPositionParams))))
               (eglot--hover-info (plist-get hover :contents) (plist-get hover :range))))
;; The fix that a user takes from the list.
(cl-letf (((symbol-function 'completing-read)
           (lambda (_ choices &rest _)
             (seq-find (lambda (it) (string-prefix-p "Remove" it)) (all-completions "" choices)))))
  (let ((last-nonmenu-event ?x))
    (call-interactively #'eglot-code-actions)))
(session-say "text" (buffer-string))
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server) nil 5)

;;; session.el ends here
