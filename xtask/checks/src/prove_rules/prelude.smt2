; What the solver takes the operators for. SMT-LIB's own div and mod round so that the remainder is not negative; floor
; and truncating division are made of them. A zero divisor is excluded by whoever asks.
(define-fun floordiv ((a Int) (b Int)) Int (ite (> b 0) (div a b) (div (- a) (- b))))
(define-fun floormod ((a Int) (b Int)) Int (- a (* b (floordiv a b))))
(define-fun truncdiv ((a Int) (b Int)) Int
  (ite (>= a 0)
    (ite (> b 0) (div a b) (- (div a (- b))))
    (ite (> b 0) (- (div (- a) b)) (div (- a) (- b)))))
(define-fun truncmod ((a Int) (b Int)) Int (- a (* b (truncdiv a b))))
(define-fun min ((a Int) (b Int)) Int (ite (< a b) a b))
(define-fun max ((a Int) (b Int)) Int (ite (> a b) a b))
(define-fun magnitude ((a Int)) Int (ite (< a 0) (- a) a))
; What makes q the quotient: the remainder is smaller than the divisor, and has the right sign.
(define-fun is-floor-quotient ((a Int) (b Int) (q Int)) Bool
  (let ((r (- a (* b q)))) (ite (> b 0) (and (<= 0 r) (< r b)) (and (< b r) (<= r 0)))))
(define-fun is-trunc-quotient ((a Int) (b Int) (q Int)) Bool
  (let ((r (- a (* b q))))
    (and (< (magnitude r) (magnitude b)) (=> (>= a 0) (>= r 0)) (=> (<= a 0) (<= r 0)))))
; What the greatest common divisor is at least.
(define-fun is-common-divisor ((a Int) (b Int) (g Int) (k Int) (l Int)) Bool
  (and (>= g 0) (= a (* g k)) (= b (* g l)) (= (= g 0) (and (= a 0) (= b 0)))))
