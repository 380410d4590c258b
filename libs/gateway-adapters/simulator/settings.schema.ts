import { flag, mapping, oneOf, wholeNumberIn } from '@app/configuration/gates';
import { TOKENS } from './registered-cards';

const DECLINE_CODE_MIN = 100;
const DECLINE_CODE_MAX = 999;

/** The settings that only a simulator gate has. */
export const simulatorSettings = {
  /** Simulates a gate that declines everything with this code, or one that is unavailable. */
  simulate: mapping({ decline: wholeNumberIn(DECLINE_CODE_MIN, DECLINE_CODE_MAX).optional(), unavailable: flag().default(false) })
    .refine(
      ({ decline, unavailable }) => decline === undefined || !unavailable,
      'cannot decline what it cannot be asked: one of decline and unavailable',
    )
    .readonly()
    .optional(),
  /** When it gives its own token of a card, by which it charges the card again without its number. */
  tokens: oneOf(TOKENS).default('none'),
  /** Whether it tells the scheme's id of a payment, and charges by one. */
  networkTransactions: flag().default(false),
  /** For trials of an installation: without it no simulator starts when NODE_ENV=production. */
  allowInProduction: flag().default(false),
};
