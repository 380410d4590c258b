/** What a refusal of Group A shows, whatever its serial-number. @param said stands somewhere in its message */
export const refusal = (code: string, said: string) => ({
  type: 'validation-error',
  'error-code': code,
  'error-message': expect.stringContaining(said),
});
