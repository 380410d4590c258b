/**
 * A refusal of Group A with any serial-number.
 * @param said a part of its message
 */
export const refusal = (code: string, said: string) => ({
  type: 'validation-error',
  'error-code': code,
  'error-message': expect.stringContaining(said),
});
