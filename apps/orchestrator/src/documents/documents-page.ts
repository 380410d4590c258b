export interface OfferedDocument {
  readonly file: string;
  readonly title: string;
  /** Address for "try it out": absolute, or a path of the port. Absent if the document's server is right. */
  readonly server?: string;
}

/** Allows only this port. Swagger UI needs inline styles, and `data:` addresses for its icons. */
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

/** File addresses are relative, because `docs` may be below a prefix. */
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

/** Allows "try it out" only on the port that served the page, because other ports refuse its requests. */
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

/** Opens the first document. The validator of Swagger UI is off, because it calls another host. */
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
