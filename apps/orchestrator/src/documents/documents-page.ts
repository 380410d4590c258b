import type { OfferedDocument } from './offered-document';

/**
 * Content-Security-Policy of the page: files and questions of its own port alone. Swagger UI sets styles of single elements, and draws its icons from
 * data addresses.
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

/** Its files stand below it: `docs/...` whatever prefix stands before it. */
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

/** What a browser tries out is asked of the port that showed the page: another port answers no page of this one. */
const TRIED_AT_ITS_OWN_PORT = `const triedAtItsOwnPort = () => ({
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

/** Shows the documents, the first at first. No address of others is asked: no validator, no fonts. */
export const documentsScript = (documents: readonly OfferedDocument[]): string => `${TRIED_AT_ITS_OWN_PORT}
SwaggerUIBundle({
  dom_id: '#documents',
  urls: ${JSON.stringify(documents.map(({ file, title }) => ({ url: `docs/${file}`, name: title })))},
  deepLinking: true,
  validatorUrl: null,
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [triedAtItsOwnPort],
});
`;
