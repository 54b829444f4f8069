/** Next.js needs a layout; the explorer's page doesn't use it. */
export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
