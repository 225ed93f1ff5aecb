import type { Command } from './command.ts'

const passwordFile = { value: '<file>', description: 'Read the password from a file.' }

const backedUp = {
  description: 'There is a back-up: upgrade the database without a copy of it.',
}

/** The hand-written commands: those that the API does not have. */
export const commands: readonly Command[] = [
  {
    words: 'serve',
    summary: 'Serve the API, the console and SMTP',
    options: { backedUp },
    example: 'serve',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
  {
    words: 'doctor',
    summary:
      'Check configuration, ports, database, keys, DSNs, log-ins that end, uncertain deliveries and clock',
    example: 'doctor',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    words: 'migrate',
    summary: 'Bring the database up to date',
    options: { backedUp },
    example: 'migrate',
    load: async () => (await import('./commands/migrate.ts')).runMigrations,
  },
  {
    words: 'backup',
    summary: 'Copy the database to a new file, also while it is served',
    args: [{ name: 'file', description: 'The new file.' }],
    example: 'backup mailyard-copy.db',
    load: async () => (await import('./commands/backup.ts')).backUp,
  },
  {
    words: 'restore',
    summary: 'Put a back-up in the place of the database, which is kept beside it',
    args: [{ name: 'file', description: 'What `backup` has made.' }],
    example: 'restore mailyard-copy.db',
    load: async () => (await import('./commands/backup.ts')).restore,
  },
  {
    words: 'confirm',
    summary: 'Let a restored database, or one with another public URL, send what waits in it',
    example: 'confirm',
    load: async () => (await import('./commands/confirm.ts')).confirm,
  },
  {
    words: 'secrets rotate',
    summary: 'Encrypt every secret again under a new data key, while the service runs',
    example: 'secrets rotate',
    load: async () => (await import('./commands/secrets.ts')).rotateSecrets,
  },
  {
    words: 'secrets rewrap',
    summary: 'Encrypt the data keys with a new secret key; then restart with it',
    options: {
      newKeyFile: {
        value: '<file>',
        description: 'The new secret key; default: create one and replace the key file.',
      },
    },
    example: 'secrets rewrap --new-key-file /etc/mailyard/new-key',
    load: async () => (await import('./commands/secrets.ts')).rewrapSecrets,
  },
  {
    words: 'events parse',
    summary: 'Print what a request of a provider means, as JSON, and change nothing',
    args: [
      { name: 'provider', description: 'Such as sendgrid; mail for a bounce that came by mail.' },
      { name: 'file', description: 'Its body; default: standard input.', isOptional: true },
    ],
    example: 'events parse sendgrid request.json',
    load: async () => (await import('./commands/events.ts')).parseEvents,
  },
  {
    words: 'users add',
    summary: 'Add a user; the password is asked for, or read from a file',
    args: [{ name: 'username', description: 'What they log in with.' }],
    options: {
      email: { value: '<address>', description: 'Their email address.', isRequired: true },
      role: { value: '<id or name>', description: 'Their role.', isRequired: true },
      firstName: { value: '<text>', description: 'Their first name.' },
      lastName: { value: '<text>', description: 'Their last name.' },
      passwordFile,
    },
    example: 'users add ann --email ann@example.com --role Administrator',
    load: async () => (await import('./commands/user.ts')).addUser,
  },
  {
    words: 'users password',
    summary: 'Set the password of a user; it is asked for, or read from a file',
    args: [{ name: 'user', description: 'Id or user name.' }],
    options: { passwordFile },
    example: 'users password admin',
    load: async () => (await import('./commands/user.ts')).setPassword,
  },
  {
    words: 'mautics connect',
    summary: 'Connect a Mautic, and wait for its first message; what is missing is asked for',
    args: [{ name: 'url', description: 'Where it is.' }],
    options: {
      name: {
        value: '<text>',
        description: 'Part of its addresses; default: from the host name.',
      },
      user: {
        value: '<text>',
        description: 'A user of Mautic, whose role has only the rights that are needed.',
      },
      passwordFile: { value: '<file>', description: 'Read the password of this user from a file.' },
      clientId: {
        value: '<text>',
        description:
          'Instead of a user: the public key of API credentials of an administrator, which may do everything.',
      },
      clientSecretFile: { value: '<file>', description: 'Read their secret key from a file.' },
      transport: {
        value: '<id or name>',
        description: 'Its default transport; `inbox` captures messages and sends none.',
      },
      webhookUrl: {
        value: '<url>',
        description: 'Where Mautic reaches Mailyard; default: the public URL.',
      },
      webhookUnproven: {
        description: 'Create the webhook although Mailyard does not reach itself at this address.',
      },
      webhook: { description: 'Whether to create the webhook in Mautic.', isNegatable: true },
      newPassword: {
        description: 'Of one that is connected: create a new SMTP password and show the DSN.',
      },
      wait: { description: 'Whether to wait for a message.', isNegatable: true },
      waitSeconds: { value: '<seconds>', description: 'How long to wait; default: 600.' },
    },
    example: 'mautics connect https://mautic.example.com --name brand --transport inbox',
    load: async () => (await import('./commands/mautic-connect.ts')).connectMautic,
  },
  {
    words: 'mautics import',
    summary: 'Import from the plug-ins Multiple Transport and Twig Templates of a Mautic',
    args: [{ name: 'mautic', description: 'Id or name.' }],
    options: { apply: { description: 'Write; without it, only print what would be written.' } },
    example: 'mautics import brand --apply',
    load: async () => (await import('./commands/mautic-import.ts')).importFromMautic,
  },
]
