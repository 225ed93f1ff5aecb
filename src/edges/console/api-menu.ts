/** The groups of routes in the OpenAPI document, by the parts of the console's menu: the title of each, and what it is. */
const menu: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  Send: {
    multipleTransports: [
      'Transports',
      'Mail transports, their tests, and their assignment to emails and users.',
    ],
    brands: ['Brands', 'Tenants: whose records and messages they are.'],
    limits: ['Limits', 'Limits of provider accounts, which transports share.'],
    senders: ['Senders', 'From domains, and whether receivers will believe them.'],
    dkimKeys: ['DKIM keys', 'Keys that sign the messages of domains, and their DNS records.'],
  },
  Content: {
    twigTemplates: ['Templates', 'Twig templates, their versions, and rendering.'],
    emails: ['Emails', 'Emails, and sending them to contacts.'],
  },
  People: {
    contacts: ['Contacts', 'The people that emails are sent to.'],
    suppressions: ['Suppressions', 'Addresses that get no emails, and why.'],
  },
  Watch: {
    deliveries: ['Deliveries', 'Every attempt to deliver a message, and its outcome.'],
    queue: ['Queue', 'Messages that are stored and not sent yet, by recipient.'],
    inbox: ['Inbox', 'Messages that `inbox://local` captured: captured, not sent.'],
    health: ['Health', 'Health checks and metrics for monitoring.'],
  },
  'Set up': {
    mautics: ['Mautics', 'Connected Mautics, and what is known of them.'],
    webhooks: ['Webhooks', 'Events that are sent to other systems and to chats.'],
    users: ['Users', 'The people who log in.'],
    roles: ['Roles', 'The permissions of users and clients.'],
    oauthClients: ['Clients', 'Applications that use the API with OAuth 2.0.'],
    oauth: ['OAuth 2.0', 'The token endpoint and the consent page.'],
    session: ['Session', 'Logging in with a cookie, as the console does.'],
  },
}

/** The groups of tags, in the order of the menu. */
export const tagGroups = Object.entries(menu).map(([name, tags]) => ({
  name,
  tags: Object.keys(tags),
}))
/** The tags of the API, with what they are. */
export const tags = Object.values(menu)
  .flatMap(Object.entries<readonly [string, string]>)
  .map(([name, [title, description]]) => ({ name, 'x-displayName': title, description }))
