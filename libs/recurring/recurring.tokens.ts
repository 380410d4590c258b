import { token } from '@app/kernel/injection';
import type { CardReferences } from './application/charge-registered-card.handler';

export const CARD_REFERENCES = token<CardReferences>('CARD_REFERENCES');
