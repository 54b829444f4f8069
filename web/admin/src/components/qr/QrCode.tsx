import { useMemo } from 'react';
import { qrCode } from './qr-code.ts';
import styles from './QrCode.module.css';

const quiet = 4;

/**
 * A QR code for a phone's camera; nothing if the text is too long. Always dark on light, because many readers need
 * that.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = useMemo(() => qrCode(text), [text]);
  if (code === null) return null;
  const side = code.size + 2 * quiet;
  return (
    <svg
      className={styles.code}
      viewBox={`${-quiet} ${-quiet} ${side} ${side}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect x={-quiet} y={-quiet} width={side} height={side} className={styles.ground} />
      <path d={code.path} className={styles.dark} />
    </svg>
  );
}
