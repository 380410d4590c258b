import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Controller, Get, Headers, HttpStatus, Inject, Param } from '@nestjs/common';
import { HTML_TYPE, HttpReply } from '@app/http/server';

export const CONSOLE_PATH = '/console';

/** Only the port itself: no other host, nothing inline, no frame. */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript;charset=utf-8'],
  ['.css', 'text/css;charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.woff2', 'font/woff2'],
]);
/** In the order of preference. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
/** The names contain the hash of the content. */
const FOREVER = 'public, max-age=31536000, immutable';

interface ConsoleFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly encoded: readonly (readonly [encoding: string, bytes: Buffer])[];
}

const readConsoleFile = (path: string, contentType: string): ConsoleFile => ({
  contentType,
  plain: readFileSync(path),
  encoded: ENCODINGS.flatMap(([encoding, ending]) => (existsSync(path + ending) ? [[encoding, readFileSync(path + ending)] as const] : [])),
});

/** The built console in memory, without a page if it is not built. A request names a file of the map, so it cannot name a path of the disk. */
export class ConsoleFiles {
  readonly page: ConsoleFile | undefined;
  readonly assets: ReadonlyMap<string, ConsoleFile>;

  constructor(folder: string) {
    const page = join(folder, 'index.html');
    const assets = join(folder, 'assets');
    this.page = existsSync(page) ? readConsoleFile(page, HTML_TYPE) : undefined;
    this.assets = new Map(
      (existsSync(assets) ? readdirSync(assets) : []).flatMap((name) => {
        const contentType = CONTENT_TYPES.get(extname(name));
        return contentType === undefined ? [] : [[name, readConsoleFile(join(assets, name), contentType)] as const];
      }),
    );
  }
}

/** Whether `Accept-Encoding` names the encoding with another weight than 0. */
const accepts = (header: string, encoding: string): boolean =>
  header.split(',').some((offer) => {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

const replyWith = ({ contentType, plain, encoded }: ConsoleFile, accepted: string, cacheControl: string): HttpReply => {
  const [encoding, body] = encoded.find(([offered]) => accepts(accepted, offered)) ?? [undefined, plain];
  return new HttpReply({
    status: HttpStatus.OK,
    contentType,
    body,
    policy: CONSOLE_POLICY,
    headers: {
      'Cache-Control': cacheControl,
      Vary: 'Accept-Encoding',
      ...(encoding !== undefined && { 'Content-Encoding': encoding }),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  });
};

const missing = (error: string): HttpReply => HttpReply.json(HttpStatus.NOT_FOUND, { error });

/** The console for browsers. Needs no session, because its files hold no data. */
@Controller(CONSOLE_PATH)
export class ConsoleController {
  constructor(@Inject(ConsoleFiles) private readonly files: ConsoleFiles) {}

  @Get('assets/:name')
  asset(@Param('name') name: string, @Headers('accept-encoding') accepted = ''): HttpReply {
    const file = this.files.assets.get(name);
    return file === undefined ? missing('no such file: reload the console') : replyWith(file, accepted, FOREVER);
  }

  @Get()
  page(@Headers('accept-encoding') accepted = ''): HttpReply {
    const { page } = this.files;
    return page === undefined ? missing('the console is not built: npm run build') : replyWith(page, accepted, 'no-store');
  }

  /** Every other address is a state of the page, which its script shows. */
  @Get('{*path}')
  state(@Headers('accept-encoding') accepted = ''): HttpReply {
    return this.page(accepted);
  }
}
