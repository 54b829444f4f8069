import { Component, type ReactNode } from 'react';
import { useAway } from '../api/presence.ts';
import { LoadFailure } from '../components/feedback/Loaded.tsx';

/** A page that breaks leaves the rest of the app standing; one that broke while the gateway was away is tried again when it is back. */
export function ErrorBoundary({ children }: { children: ReactNode }) {
  return <Boundary away={useAway()}>{children}</Boundary>;
}

class Boundary extends Component<{ away: boolean; children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: { away: boolean }) {
    if (before.away && !this.props.away && this.state.error !== null) this.setState({ error: null });
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <LoadFailure error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
