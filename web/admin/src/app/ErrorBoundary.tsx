import { Component, type ReactNode } from 'react';
import { LoadFailure } from '../components/feedback/Loaded.tsx';

/** A page that breaks leaves the rest of the app standing. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <LoadFailure error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
