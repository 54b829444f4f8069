;; Writes UTF-8 for the inside of a JSON string: copies and checks sixteen bytes at a time, up to the first one that needs
;; escaping. The binary form is in escape-bytes-module.ts; a test compares it with this text.
(module
  (memory (export "memory") 4)

  ;; The escape letter of each byte below a space; 0 for invisible ones.
  (data (i32.const 0) "\00\00\00\00\00\00\00\00\00tn\00\00r\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")

  ;; Whether a byte continues a character.
  (func $continues (param $byte i32) (result i32)
    (i32.eq (i32.and (local.get $byte) (i32.const 0xc0)) (i32.const 0x80)))

  ;; Whether a number is between two others, inclusive.
  (func $between (param $number i32) (param $least i32) (param $most i32) (result i32)
    (i32.le_u
      (i32.sub (local.get $number) (local.get $least))
      (i32.sub (local.get $most) (local.get $least))))

  ;; The length in bytes of the character that starts here with a byte above ASCII; 0 if it is not a character, or is or
  ;; may be invisible. Up to three bytes past the end are read; they never continue a character.
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
        ;; Half of a surrogate pair.
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
        ;; U+FEFF, U+FFF9 to U+FFFD, and adjacent characters.
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

  ;; Reads the bytes between two positions and writes to a third; returns where the output ends, or 0 if the bytes are not
  ;; UTF-8 or contain something invisible. Up to sixteen bytes past both ends are also read and written, without effect.
  (func (export "escape") (param $from i32) (param $end i32) (param $to i32) (result i32)
    (local $bytes v128)
    (local $odd i32)
    (local $byte i32)
    ;; Bytes past the end never continue a character.
    (i32.store8 (local.get $end) (i32.const 0))
    (loop $next
      (if (i32.lt_u (local.get $from) (local.get $end))
        (then
          (local.set $bytes (v128.load (local.get $from)))
          (v128.store (local.get $to) (local.get $bytes))
          ;; As signed numbers, bytes above ASCII are also below a space.
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
          ;; Characters above ASCII are copied unchanged, and usually there are several in a row.
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
