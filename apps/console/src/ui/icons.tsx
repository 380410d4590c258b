import type { ReactNode } from 'react';

const PATHS = {
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4 4l8 8M12 4l-8 8',
  question: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.6M8 12.2v.3',
  warning: 'M8 2.5L14.5 13.5h-13zM8 6.5v3.2M8 11.4v.3',
  clock: 'M8 4.5V8l2.3 1.6M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z',
  pause: 'M6 4v8M10 4v8',
  stop: 'M3.8 3.8l8.4 8.4M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z',
  dot: 'M8 7.9v.2M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z',
  search: 'M10.5 10.5L14 14M12 7A5 5 0 1 1 2 7a5 5 0 0 1 10 0z',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  down: 'M4 6.5l4 4 4-4',
  right: 'M6.5 4l4 4-4 4',
  back: 'M9.5 4l-4 4 4 4',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  shield: 'M8 2l5 2v4c0 3-2.2 5.2-5 6-2.8-.8-5-3-5-6V4z',
  undo: 'M3 7h7a3 3 0 0 1 0 6H6M3 7l3-3M3 7l3 3',
  flag: 'M4 14V2.5M4 3h8l-2 2.7L12 8.5H4',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: the word beside it says the same. */
export const Icon = ({ name }: { readonly name: IconName }): ReactNode => (
  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);
