import { useMemo } from 'react';
import { qrCode } from './qr-code.ts';
import styles from './QrCode.module.css';

const quiet = 4;

/** A text for a phone's camera; nothing when it is too long for one. Always dark on light, because many readers need that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const squares = useMemo(() => qrCode(text), [text]);
  if (squares === null) return null;
  const size = squares.length + 2 * quiet;
  const path = squares
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      className={styles.code}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} className={styles.ground} />
      <path d={path} className={styles.dark} />
    </svg>
  );
}
