import { unreachable } from '@app/kernel';
import type { CardsMapped, CheckFacts, InvoiceEvent, InvoiceOpened } from './invoice.events';

type Opened = InvoiceOpened['data'];
type Checked = Opened & { readonly check: CheckFacts };
type Mapped = Checked & { readonly cards: Omit<CardsMapped['data'], 'mappedAt'> };

export type Invoice =
  | { readonly status: 'none' }
  | (Opened & { readonly status: 'opened' })
  | (Checked & { readonly status: 'checked' })
  | (Mapped & { readonly status: 'mapped' });

/** An invoice whose session token is known. */
export type CheckedInvoice = Extract<Invoice, { status: 'checked' | 'mapped' }>;

export const evolve = (state: Invoice, event: InvoiceEvent): Invoice => {
  switch (event.type) {
    case 'InvoiceOpened':
      if (state.status !== 'none') throw new Error('InvoiceOpened twice');
      return { status: 'opened', ...event.data };
    case 'CheckAnswered': {
      if (state.status !== 'opened') throw new Error(`CheckAnswered of an invoice that is ${state.status}`);
      const { answeredAt: _, ...check } = event.data;
      return { ...state, status: 'checked', check };
    }
    case 'CardsMapped': {
      if (state.status !== 'checked') throw new Error(`CardsMapped of an invoice that is ${state.status}`);
      const { mappedAt: _, ...cards } = event.data;
      return { ...state, status: 'mapped', cards };
    }
    default:
      return unreachable(event);
  }
};
