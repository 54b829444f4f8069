;; Writes UTF-8 between the quotes of a JSON string: sixteen bytes at a time are copied and looked at, up to the first that
;; is no plain character. Its binary form is in escape-bytes-module.ts, which a test compares with this text.
(module
  (memory (export "memory") 4)

  ;; For each byte below a blank the letter of its escape; 0 for those that are not seen.
  (data (i32.const 0) "\00\00\00\00\00\00\00\00\00tn\00\00r\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")

  ;; Whether a byte goes on with a character that others began.
  (func $continues (param $byte i32) (result i32)
    (i32.eq (i32.and (local.get $byte) (i32.const 0xc0)) (i32.const 0x80)))

  ;; Whether a number is between two others, both included.
  (func $between (param $number i32) (param $least i32) (param $most i32) (result i32)
    (i32.le_u
      (i32.sub (local.get $number) (local.get $least))
      (i32.sub (local.get $most) (local.get $least))))

  ;; How many bytes the character takes that begins here with a byte above ASCII; 0 when it is none, or is one that is not
  ;; seen, or might not be. Up to three bytes behind the end are read, and do not continue anything.
  (func $long (param $at i32) (result i32)
    (local $first i32) (local $second i32) (local $third i32)
    (local.set $first (i32.load8_u (local.get $at)))
    (local.set $second (i32.load8_u offset=1 (local.get $at)))
    (if (i32.eqz (call $continues (local.get $second))) (then (return (i32.const 0))))
    ;; Two bytes: U+0080 to U+009F are controls, U+00AD is a soft hyphen.
    (if (i32.lt_u (local.get $first) (i32.const 0xe0))
      (then
        (if (i32.lt_u (local.get $first) (i32.const 0xc2)) (then (return (i32.const 0))))
        (if (i32.eq (local.get $first) (i32.const 0xc2))
          (then
            (if (i32.lt_u (local.get $second) (i32.const 0xa0)) (then (return (i32.const 0))))
            (if (i32.eq (local.get $second) (i32.const 0xad)) (then (return (i32.const 0))))))
        (return (i32.const 2))))
    (local.set $third (i32.load8_u offset=2 (local.get $at)))
    (if (i32.eqz (call $continues (local.get $third))) (then (return (i32.const 0))))
    (if (i32.lt_u (local.get $first) (i32.const 0xf0))
      (then
        ;; Two bytes would have been enough.
        (if (i32.and
              (i32.eq (local.get $first) (i32.const 0xe0))
              (i32.lt_u (local.get $second) (i32.const 0xa0)))
          (then (return (i32.const 0))))
        ;; Half of a pair.
        (if (i32.and
              (i32.eq (local.get $first) (i32.const 0xed))
              (i32.ge_u (local.get $second) (i32.const 0xa0)))
          (then (return (i32.const 0))))
        ;; U+180E.
        (if (i32.and
              (i32.eq (local.get $first) (i32.const 0xe1))
              (i32.and
                (i32.eq (local.get $second) (i32.const 0xa0))
                (i32.eq (local.get $third) (i32.const 0x8e))))
          (then (return (i32.const 0))))
        (if (i32.eq (local.get $first) (i32.const 0xe2))
          (then
            ;; U+200B to U+200F and U+2028 to U+202E.
            (if (i32.eq (local.get $second) (i32.const 0x80))
              (then
                (if (i32.or
                      (call $between (local.get $third) (i32.const 0x8b) (i32.const 0x8f))
                      (call $between (local.get $third) (i32.const 0xa8) (i32.const 0xae)))
                  (then (return (i32.const 0))))))
            ;; U+2060 to U+206F.
            (if (i32.eq (local.get $second) (i32.const 0x81))
              (then
                (if (call $between (local.get $third) (i32.const 0xa0) (i32.const 0xaf))
                  (then (return (i32.const 0))))))))
        ;; U+FEFF, U+FFF9 to U+FFFD, and their neighbours.
        (if (i32.eq (local.get $first) (i32.const 0xef))
          (then
            (if (i32.or
                  (i32.eq (local.get $second) (i32.const 0xbb))
                  (i32.eq (local.get $second) (i32.const 0xbf)))
              (then (return (i32.const 0))))))
        (return (i32.const 3))))
    (if (i32.eqz (call $continues (i32.load8_u offset=3 (local.get $at)))) (then (return (i32.const 0))))
    ;; Three bytes would have been enough.
    (if (i32.and
          (i32.eq (local.get $first) (i32.const 0xf0))
          (i32.lt_u (local.get $second) (i32.const 0x90)))
      (then (return (i32.const 0))))
    ;; Tags and variation selectors, U+E0000 to U+E0FFF.
    (if (i32.and
          (i32.eq (local.get $first) (i32.const 0xf3))
          (i32.eq (local.get $second) (i32.const 0xa0)))
      (then (return (i32.const 0))))
    ;; Beyond Unicode.
    (if (i32.gt_u
          (i32.or (i32.shl (local.get $first) (i32.const 8)) (local.get $second))
          (i32.const 0xf48f))
      (then (return (i32.const 0))))
    (i32.const 4))

  ;; Takes bytes between two places and writes to a third; returns where the writing ended, or 0 when they are no UTF-8 or
  ;; have something in them that is not seen. Sixteen bytes behind each of both ends are read and written as well, and mean
  ;; nothing.
  (func (export "escape") (param $from i32) (param $end i32) (param $to i32) (result i32)
    (local $bytes v128)
    (local $odd i32)
    (local $byte i32)
    ;; What is behind the end continues nothing.
    (i32.store8 (local.get $end) (i32.const 0))
    (loop $next
      (if (i32.lt_u (local.get $from) (local.get $end))
        (then
          (local.set $bytes (v128.load (local.get $from)))
          (v128.store (local.get $to) (local.get $bytes))
          ;; Below a blank is, as a signed number, also what is above ASCII.
          (local.set $odd
            (i8x16.bitmask
              (v128.or
                (v128.or
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
                (v128.or
                  (i8x16.lt_s (local.get $bytes) (i8x16.splat (i32.const 0x20)))
                  (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x7f)))))))
          (if (i32.eqz (local.get $odd))
            (then
              (local.set $from (i32.add (local.get $from) (i32.const 16)))
              (local.set $to (i32.add (local.get $to) (i32.const 16)))
              (br $next)))
          (local.set $odd (i32.ctz (local.get $odd)))
          (local.set $from (i32.add (local.get $from) (local.get $odd)))
          (local.set $to (i32.add (local.get $to) (local.get $odd)))
          (br_if $next (i32.ge_u (local.get $from) (local.get $end)))
          (local.set $byte (i32.load8_u (local.get $from)))
          ;; Characters above ASCII stand as they are, and mostly there are several in a row.
          (if (i32.ge_u (local.get $byte) (i32.const 0x80))
            (then
              (loop $more
                (local.set $odd (call $long (local.get $from)))
                (if (i32.eqz (local.get $odd)) (then (return (i32.const 0))))
                (i32.store (local.get $to) (i32.load (local.get $from)))
                (local.set $from (i32.add (local.get $from) (local.get $odd)))
                (local.set $to (i32.add (local.get $to) (local.get $odd)))
                (br_if $more (i32.ge_u (i32.load8_u (local.get $from)) (i32.const 0x80))))
              (br $next)))
          (if (i32.eq (local.get $byte) (i32.const 0x7f)) (then (return (i32.const 0))))
          (if (i32.lt_u (local.get $byte) (i32.const 0x20))
            (then
              (local.set $byte (i32.load8_u (local.get $byte)))
              (if (i32.eqz (local.get $byte)) (then (return (i32.const 0))))))
          ;; A backslash and the letter.
          (i32.store16 (local.get $to)
            (i32.or (i32.const 0x5c) (i32.shl (local.get $byte) (i32.const 8))))
          (local.set $from (i32.add (local.get $from) (i32.const 1)))
          (local.set $to (i32.add (local.get $to) (i32.const 2)))
          (br $next))))
    (i32.sub (local.get $to) (i32.sub (local.get $from) (local.get $end)))))
