/** Next.js needs a layout; an app with routes only has nothing to put there. */
export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
