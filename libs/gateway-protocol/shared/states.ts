const codes = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/**
 * The countries whose addresses must name a state, with the codes of ISO 3166-2: the USA with DC and territories, Canada, Australia
 * (protocol decisions, section 2). For the USA also those of its post: the armed forces (AA, AE, AP) and the freely associated states (FM, MH, PW).
 */
export const STATES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'US',
    codes(
      'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT ' +
        'VA WA WV WI WY DC AS GU MP PR UM VI AA AE AP FM MH PW',
    ),
  ],
  ['CA', codes('AB BC MB NB NL NS NT NU ON PE QC SK YT')],
  ['AU', codes('ACT NSW NT QLD SA TAS VIC WA')],
]);
