const CHOICES = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof CHOICES)[number];

const KEY = 'signalbox-theme';

function readChoice(): ThemeChoice {
  const kept = localStorage.getItem(KEY);
  return CHOICES.find((choice) => choice === kept) ?? 'system';
}

/** Light, dark or as the system has it; kept in this browser. */
class Theme {
  choice = $state<ThemeChoice>('system');

  restore(): void {
    this.#apply(readChoice());
  }

  next(): void {
    const next = CHOICES[(CHOICES.indexOf(this.choice) + 1) % CHOICES.length] ?? 'system';
    localStorage.setItem(KEY, next);
    this.#apply(next);
  }

  #apply(choice: ThemeChoice): void {
    this.choice = choice;
    if (choice === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = choice;
  }
}

export const theme = new Theme();
