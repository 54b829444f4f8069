/** Next.js wants a layout; the explorer's page does not pass through it. */
export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
