/** An OpenAPI document that a port offers. */
export interface OfferedDocument {
  /** The name of the file in the folder of the documents. */
  readonly file: string;
  readonly title: string;
  /** The address at which a browser tries operations out: absolute, or a path of the port. Absent where the document's own one is right. */
  readonly server?: string;
}

/**
 * Content-Security-Policy of the page: it loads files from and sends requests to its own port alone. Swagger UI needs inline styles, and `data:` addresses
 * for its icons.
 */
export const DOCUMENTS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Its files have relative addresses, since a prefix may stand before `docs`. */
export const documentsPage = (): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API documents</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<main id="documents"></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/swagger-ui-standalone-preset.js"></script>
<script src="docs/documents.js"></script>
</body>
</html>
`;

/** Allows "try it out" only for the port that served the page: any other port refuses requests of this page. */
const TRY_OUT_AT_OWN_PORT = `const tryOutAtOwnPort = () => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: (original, system) => (state, ...operation) => {
          const server = system.specSelectors.servers().first();
          return server !== undefined && new URL(server.get('url'), location.href).origin === location.origin && original(state, ...operation);
        },
      },
    },
  },
});
`;

/** Opens the first of the documents. No other host is called: the validator of Swagger UI is off. */
export const documentsScript = (documents: readonly OfferedDocument[]): string => `${TRY_OUT_AT_OWN_PORT}
SwaggerUIBundle({
  dom_id: '#documents',
  urls: ${JSON.stringify(documents.map(({ file, title }) => ({ url: `docs/${file}`, name: title })))},
  deepLinking: true,
  validatorUrl: null,
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [tryOutAtOwnPort],
});
`;
