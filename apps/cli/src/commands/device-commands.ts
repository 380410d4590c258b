import { Option, type Command } from 'commander';
import { device, DEVICE_VERBS, type DeviceOptions, type DeviceVerb } from '../device/device';
import { keyboardOfProcess } from '../device/typed-secrets';
import type { CommandContext } from './command-context';

const DESCRIPTIONS: Readonly<Record<DeviceVerb, string>> = {
  verify: 'verify a card, and learn by which reference it can be used again',
  sale: 'pay with a card, or with a reference',
  transfer: 'move money from one card to another, each of them a card or a reference',
};

const CARD_FORMS = 'a card number, a reference, - for a line of standard input or @path for one of a file; asked for on a terminal';

/** The verbs that play a consumer's device. */
export const addDeviceCommands = (program: Command, { output, endedWith }: CommandContext): void => {
  const devices = program
    .command('device')
    .description('play a consumer’s device: ask the merchant server for an invoice, send the order to the gateway, follow it to its end');

  for (const verb of Object.keys(DEVICE_VERBS) as DeviceVerb[]) {
    const command = devices
      .command(verb)
      .description(DESCRIPTIONS[verb])
      .option('--gateway <url>', 'address of the gateway', 'http://127.0.0.1:8080')
      .option('--prefix <path>', 'its path before /dapi/v1/', '/paynet')
      .option('--merchant <url>', 'address of the merchant server', 'http://127.0.0.1:8081')
      .option('--product <login>', 'which of its products')
      .addOption(new Option('--access-token <token>', 'one that you have; asked for by e-mail otherwise').env('DEVICE_ACCESS_TOKEN'))
      .requiredOption('--serial <number>', 'serial number of the device')
      .option('--imei <number>', 'its IMEI')
      .requiredOption('--email <address>', 'of the consumer')
      .option('--birthday <ddMMyyyy>', 'of the consumer')
      .option('--card <card>', `${CARD_FORMS}. The number of a test card may stand here`)
      .option('--expiry <month/year>', 'of a card number, as 12/2035')
      .option('--holder <name>', 'of a card number, as printed on the card')
      .option('--cvv <code>', 'its security code, in the same forms')
      .requiredOption('--currency <code>', 'ISO 4217')
      .option('--description <text>', 'what it is for');
    if (verb !== 'verify') command.requiredOption('--amount <amount>', 'in major units, as 10.42');
    if (verb === 'transfer') {
      command
        .option('--to <card>', `the card that receives: ${CARD_FORMS}`)
        .option('--fee <choice>', 'among the fees offered: cheapest, ask, or the alias of one', 'ask');
    }
    command.action(async (options: DeviceOptions) => {
      endedWith(await device(verb, options, output(), { keyboard: keyboardOfProcess() }));
    });
  }
};
