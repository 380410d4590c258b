import { createServer } from 'node:http';
import Provider from 'oidc-provider';

// A real provider of OpenID Connect, whose interaction signs in one person at once. It prints its issuer; PUT /claims sets who signs in.
const { redirectUri, client } = JSON.parse(process.argv[2]);
let claims = {};
const accountId = 'person-1';
const handlers = [];
const server = createServer((request, response) => handlers[0](request, response)).listen(0, '127.0.0.1', () => {
  // Otherwise it may close a connection that a slow test is about to use again.
  server.keepAliveTimeout = 0;
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    // Of a native client any port of the loopback address is accepted.
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri], application_type: 'native' }],
    claims: { groups: ['groups', 'preferred_username', 'email', 'email_verified'] },
    conformIdTokenClaims: false,
    scopes: ['openid', 'groups'],
    pkce: { required: () => true },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => Promise.resolve({ sub, ...claims }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  });
  const answer = provider.callback();
  handlers.push(async (request, response) => {
    if (request.method === 'PUT' && request.url === '/claims') {
      claims = JSON.parse((await request.setEncoding('utf8').toArray()).join(''));
      response.end();
      return;
    }
    if (!request.url.startsWith('/interaction/')) {
      answer(request, response);
      return;
    }
    const { prompt, params, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId } });
      return;
    }
    const grant =
      grantId === undefined ? new provider.Grant({ accountId, clientId: params.client_id }) : await provider.Grant.find(grantId);
    grant.addOIDCScope('openid groups');
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
  });
  console.log(`issuer ${issuer}`);
});
