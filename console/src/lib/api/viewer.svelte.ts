import type { SignedIn } from './session.ts';

/** Who is signed in; pages that need somebody are drawn only then. */
class CurrentViewer {
  value = $state.raw<SignedIn | null>(null);
  /** Counts what gives reason to doubt that the session still holds. */
  doubts = $state(0);

  get isOperator(): boolean {
    return this.value?.role === 'OPERATOR';
  }
}

export const viewer = new CurrentViewer();
