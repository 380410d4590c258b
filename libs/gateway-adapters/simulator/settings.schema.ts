import { flag, mapping, wholeNumberIn } from '@app/configuration/gates';

const DECLINE_CODE_MIN = 100;
const DECLINE_CODE_MAX = 999;

/** What a simulator gate has beside the settings of every gate. */
export const simulatorSettings = {
  /** What it plays: declines everything with this code, or cannot be asked. */
  simulate: mapping({ decline: wholeNumberIn(DECLINE_CODE_MIN, DECLINE_CODE_MAX).optional(), unavailable: flag().default(false) })
    .refine(
      ({ decline, unavailable }) => decline === undefined || !unavailable,
      'cannot decline what it cannot be asked: one of decline and unavailable',
    )
    .readonly()
    .optional(),
};
