import type { ReactNode } from 'react';
import { Icon, type IconName } from './icons';

export type Tone = 'bad' | 'calm' | 'info' | 'ok' | 'unknown' | 'warn';

const ICONS: Readonly<Record<Tone, IconName>> = {
  ok: 'check',
  bad: 'cross',
  warn: 'warning',
  unknown: 'question',
  info: 'clock',
  calm: 'dot',
};

interface BadgeProps {
  readonly tone: Tone;
  readonly icon?: IconName;
  readonly children: ReactNode;
}

/** A state as colour, icon and word, so that colour is never the only sign. */
export const Badge = ({ tone, icon = ICONS[tone], children }: BadgeProps): ReactNode => (
  <span className={`badge ${tone}`}>
    <Icon name={icon} />
    {children}
  </span>
);

const STATUSES: Readonly<Record<string, readonly [tone: Tone, word: string, icon?: IconName]>> = {
  approved: ['ok', 'Approved'],
  declined: ['bad', 'Declined'],
  chain_declined: ['bad', 'Declined in chain'],
  error: ['bad', 'Error', 'warning'],
  filtered: ['calm', 'Filtered', 'stop'],
  processing: ['info', 'Processing'],
  unknown: ['unknown', 'Unknown'],
};

/** The final status of an order, or how far it is. A word that is not known here is shown as it is. */
export const OrderStatus = ({ status }: { readonly status: string }): ReactNode => {
  const [tone, word, icon] = STATUSES[status] ?? (['calm', status] as const);
  return (
    <Badge tone={tone} {...(icon === undefined ? {} : { icon })}>
      {word}
    </Badge>
  );
};
