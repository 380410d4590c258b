import { cardNumberOf } from '../../shared/card-number-echo';
import type { Form } from './form';

export const CARD_NUMBER_FIELD = 'credit_card_number';

/**
 * The card number that a request brings, whether its operation has that field or not: a merchant's mistake must not make a text of it. Undefined where
 * there is none.
 */
export const cardNumberIn = (form: Form): string | undefined => cardNumberOf(form.text(CARD_NUMBER_FIELD));
