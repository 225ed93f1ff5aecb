import { Argument, Command, Option, type OutputConfiguration } from 'commander'
import { readVersion } from '../kit/read-version.ts'
import type { QueueAction } from '../queue/index.ts'
import { commandName } from './command-name.ts'
import type { CommandContext } from './output.ts'
import type { RecordKindName } from './records.ts'

/** The implementation of a command. It is loaded when the command runs. */
type Action<Options> = (
  context: CommandContext,
  options: Options,
  ...args: string[]
) => Promise<number>

/** Returns what commander calls to run a command. */
type Act = <Options extends object>(
  load: () => Promise<Action<Options>>,
) => (...args: unknown[]) => Promise<void>

/** Creates the tree of all commands, in groups in the order of use. */
export function createProgram(output: OutputConfiguration, act: Act): Command {
  const program = new Command('mailyard').addOption(new Option('--json', 'answer in JSON'))
  explain(program, 'Sends every email through the right mail transport.', 'transport list --json')
    .version(readVersion(), '-V, --version', 'show the version')
    .exitOverride()
    .configureOutput(output)
  addServiceCommands(program.commandsGroup('Run:'), act)
  addSendCommands(program.commandsGroup('Send:'), act)
  program.commandsGroup('Content:')
  addRecordCommands(program, act, { name: 'template', example: 'footer' })
  addRecordCommands(program, act, { name: 'email', example: '"Sample email"' })
  addPeopleCommands(program.commandsGroup('People:'), act)
  addWatchCommands(program.commandsGroup('Watch:'), act)
  addMauticCommands(program.commandsGroup('Set up:'), act)
  addAccessCommands(program, act)
  addSecretsCommands(program, act)
  addCompletionCommand(program, act)
  program.helpCommand('help [command]', 'show the help of a command')
  return program
}

/** Sets the description of a command, and the example in its help. */
function explain(command: Command, description: string, example: string): Command {
  return command
    .description(description)
    .addHelpText('after', `\nExample:\n  ${commandName} ${example}`)
}

interface RecordCommands {
  name: RecordKindName
  /** A name, as in a command line. */
  example: string
  /** Default: the name with an s. */
  many?: string
  /** How many are listed. Default: all. */
  limit?: string
}

/** Adds `list` and `show` of a kind of records. Returns their group, for more commands. */
function addRecordCommands(
  program: Command,
  act: Act,
  { name, example, many = `${name}s`, limit = 'all' }: RecordCommands,
): { group: Command; list: Command } {
  const load = async () => {
    const [lists, { recordKind }] = await Promise.all([
      import('./commands/lists.ts'),
      import('./records.ts'),
    ])
    return { ...lists, kind: recordKind(name) }
  }
  const group = explain(program.command(name), `look at ${many}`, `${name} list`)
  const list = explain(
    group.command('list'),
    `list the ${many}`,
    `${name} list --search ${example}`,
  )
    .option('--search <words>', 'with these words, as in the search of the API')
    .option('--limit <count>', `how many; default: ${limit}`)
    .action(
      act(async () => {
        const { listRecords, kind } = await load()
        return (context, options) => listRecords(context, kind, options)
      }),
    )
  explain(
    group.command(`show <${name}>`),
    `show one of the ${many}, by its id or name`,
    `${name} show ${example}`,
  ).action(
    act(async () => {
      const { showRecord, kind } = await load()
      return (context, _, text = '') => showRecord(context, kind, text)
    }),
  )
  return { group, list }
}

const addPublished = (list: Command) => list.option('--published', 'only published ones')
const addLimit = (list: Command) => list.option('--limit <count>', 'how many; default 30')

function addServiceCommands(program: Command, act: Act): void {
  explain(program.command('serve'), 'serve the API', 'serve').action(
    act(async () => (await import('./commands/serve.ts')).serve),
  )
  explain(
    program.command('doctor'),
    'check configuration, ports, database, keys, DSNs, log-ins that end, uncertain deliveries and clock',
    'doctor',
  ).action(act(async () => (await import('./commands/doctor.ts')).doctor))
  explain(program.command('migrate'), 'bring the database up to date', 'migrate').action(
    act(async () => (await import('./commands/migrate.ts')).runMigrations),
  )
}

function addSendCommands(program: Command, act: Act): void {
  const { group, list } = addRecordCommands(program, act, { name: 'transport', example: 'Inbox' })
  addPublished(list.description('list the transports; secrets are masked'))
  explain(
    group.description('look at mail transports, and test them').command('test <transport>'),
    'send a test message through a transport, by its id or name',
    'transport test Inbox --to ann@example.com',
  )
    .option('--to <address>', 'recipient; default: its testedEmailFrom')
    .option('--transcript', 'print the whole dialogue, without secrets')
    .action(act(async () => (await import('./commands/test-transport.ts')).testTransport))
  addRecordCommands(program, act, { name: 'limit', example: '"SES account"' })
  addRecordCommands(program, act, { name: 'dkim', example: 'example.com', many: 'DKIM keys' })
  const assignment = explain(
    program.command('assignment'),
    'look at the transports of emails and users',
    'assignment list',
  )
  explain(
    assignment.command('list'),
    'list the emails and their transports',
    'assignment list --transport Inbox',
  )
    .option('--users', 'the users instead')
    .option('--transport <transport>', 'only those of this transport, by id or name')
    .option('--mautic <mautic>', 'those of this Mautic, by its name, id or URL')
    .action(act(async () => (await import('./commands/lists.ts')).listAssignments))
  addOAuthCommands(program, act)
}

function addOAuthCommands(program: Command, act: Act): void {
  const google = 'oauth google --client-id 1234.apps.googleusercontent.com --save Gmail'
  const oauth = program.command('oauth')
  explain(oauth, 'log in to providers with OAuth 2.0', google)
  explain(
    oauth.command('google'),
    "sign in with Google, and print a DSN with a refresh token; the client's secret is asked for, or read from standard input or a file",
    google,
  )
    .requiredOption('--client-id <id>', 'a client of the type "Desktop app" at Google')
    .option('--client-secret-file <file>', 'read the secret of the client from a file')
    .option(
      '--mailbox <address>',
      'always send as this mailbox; default: the sender of each message',
    )
    .option('--save <name>', 'create a transport with this name instead of printing the DSN')
    .option('--no-browser', 'only print the address of the consent page')
    .option('--wait-seconds <seconds>', 'how long to wait for the consent', '300')
    .action(act(async () => (await import('./commands/oauth-google.ts')).signInWithGoogle))
}

function addPeopleCommands(program: Command, act: Act): void {
  addRecordCommands(program, act, {
    name: 'contact',
    example: 'carla@example.net',
    limit: 'the newest 30',
  })
  addSuppressionCommands(program, act)
}

function addSuppressionCommands(program: Command, act: Act): void {
  const load = () => import('./commands/suppressions.ts')
  const { group, list } = addRecordCommands(program, act, {
    name: 'suppression',
    example: 'carla@example.net',
    limit: 'the newest 30',
  })
  const addEvidence = (command: Command) =>
    command.option(
      '--transport <transport>',
      'bounces that this transport found, by its id or name; `default` for the configured',
    )
  addEvidence(list)
    .option('--address <address>', 'of this address')
    .option('--reason <reason>', 'unsubscribed, bounced, complained or manual')
    .action(act(async () => (await load()).listSuppressions))
  addEvidence(
    explain(
      group.description('look at suppressions, and undo bounces').command('undo'),
      'delete bounces by what found them, also at Mautics',
      'suppression undo --transport Inbox --dry-run',
    ),
  )
    .option('--dry-run', 'count what would be undone, and change nothing')
    .action(act(async () => (await load()).undoSuppressions))
}

function addWatchCommands(program: Command, act: Act): void {
  const load = () => import('./commands/lists.ts')
  const delivery = explain(program.command('delivery'), 'look at deliveries', 'delivery list')
  addLimit(
    explain(
      delivery.command('list'),
      'list the deliveries, the newest first',
      'delivery list --outcome refused --transport Inbox',
    ),
  )
    .option(
      '--outcome <outcome>',
      'with this outcome, such as refused or expired; an unknown one lists all',
    )
    .option('--recipient <address>', 'to this address, or a part of it; * stands for any text')
    .option('--transport <transport>', 'through this transport, by its id or name')
    .option('--email <email>', 'of this email, by its id or name')
    .option('--contact <contact>', 'to this contact, by its id or address')
    .action(act(async () => (await load()).listDeliveries))
  explain(
    delivery.command('show <id>'),
    'show one delivery: its route, and the other attempts to send its message',
    'delivery show 17',
  ).action(act(async () => (await load()).showDelivery))
  addEventCommands(program, act)
  addQueueCommands(program, act)
  const inbox = explain(program.command('inbox'), 'look at captured messages', 'inbox list')
  addLimit(
    explain(
      inbox.command('list'),
      'list the captured messages, the newest first',
      'inbox list --transport Inbox',
    ),
  )
    .option('--transport <transport>', 'through this transport, by its id or name')
    .action(act(async () => (await load()).listInbox))
  explain(
    inbox.command('show <id>'),
    'show a captured message, with its text',
    'inbox show 3',
  ).action(act(async () => (await load()).showCaptured))
}

function addEventCommands(program: Command, act: Act): void {
  const events = explain(
    program.command('events'),
    'look at what providers report of messages',
    'events parse sendgrid request.json',
  )
  explain(
    events.command('parse <provider> [file]'),
    'print what a request of a provider means, as JSON, and change nothing; without a file it is read from standard input',
    'events parse sendgrid request.json',
  ).action(
    act(async () => {
      const { parseEvents } = await import('./commands/events.ts')
      return (context, _, provider, file) => parseEvents(context, provider, file)
    }),
  )
}

function addQueueCommands(program: Command, act: Act): void {
  const load = () => import('./commands/queue.ts')
  const queue = explain(
    program.command('queue'),
    'look at queued messages and change them',
    'queue list',
  )
  const addFilters = (command: Command) =>
    command
      .option('--state <states>', 'queued, deferred, sending, held, uncertain; with commas')
      .option('--lane <lane>', 'transactional or bulk')
      .option(
        '--transport <transport>',
        'for this transport, by its id or name; `default`, or `none` if none was chosen yet',
      )
      .option('--recipient <address>', 'to this address, or a part of it; * stands for any text')
      .option('--sender <address>', 'from this address; * stands for any text')
      .option('--mautic <mautic>', 'of this Mautic, by its name, id or URL')
      .option(
        '--email <email>',
        'of this email: of Mailyard, by its id or name; with --mautic of this Mautic, by its id',
      )
      .option('--older-than <hours>', 'added more than this number of hours ago')
  addLimit(
    addFilters(
      explain(
        queue.command('list'),
        'list queued messages, the newest first',
        "queue list --recipient '*@example.com'",
      ),
    ),
  ).action(act(async () => (await load()).listQueue))
  explain(
    queue.command('show <id>'),
    'show a queued message: its other recipients and its attempts',
    'queue show 17',
  ).action(act(async () => (await load()).showQueued))
  const addChange = (action: QueueAction, description: string, example: string) =>
    addFilters(
      explain(queue.command(`${action} [ids...]`), description, `queue ${action} ${example}`),
    )
      .option('--all', 'everything in the queue')
      .option('--dry-run', 'count what would be changed, and change nothing')
      .action(
        act(async () => {
          const { changeQueued } = await load()
          return (context, options, ...ids) => changeQueued(context, { action, ids }, options)
        }),
      )
  addChange('retry', 'retry messages now', '--transport Inbox')
  addChange('hold', 'hold messages until they are released', '--transport Inbox --dry-run')
  addChange('release', 'release held messages', '17 18')
  const cancelExample = '--older-than 48 --lane bulk'
  addChange('cancel', 'delete messages; their senders are not notified', cancelExample)
  const brakes = explain(
    queue.command('brakes'),
    'list the groups of bulk messages that their brakes hold',
    'queue brakes',
  ).action(act(async () => (await load()).listBrakes))
  const addEnd = (action: 'continue' | 'cancel', description: string) =>
    explain(brakes.command(`${action} <id>`), description, `queue brakes ${action} 2`).action(
      act(async () => {
        const { endBrake } = await load()
        return (context, _, id = '') => endBrake(context, action, id)
      }),
    )
  addEnd('continue', 'release the messages that a brake holds')
  addEnd('cancel', 'delete the messages that a brake holds; their senders are not notified')
}

function addMauticCommands(program: Command, act: Act): void {
  const load = () => import('./commands/mautic.ts')
  const { group: mautic } = addRecordCommands(program, act, {
    name: 'mautic',
    example: 'brand',
    many: 'Mautics',
  })
  explain(
    mautic.description('connect Mautics').command('connect <url>'),
    'connect a Mautic, and wait for its first message; what is missing is asked for',
    'mautic connect https://mautic.example.com --name brand --transport inbox',
  )
    .option('--name <name>', 'part of its addresses; default: from the host name')
    .option('--user <name>', 'a user of Mautic, whose role has only the rights that are needed')
    .option('--password-file <file>', 'read the password of this user from a file')
    .option(
      '--client-id <id>',
      'instead of a user: the public key of API credentials of an administrator, which may do everything',
    )
    .option('--client-secret-file <file>', 'read their secret key from a file')
    .option(
      '--transport <transport>',
      'its default transport, by id or name; `inbox` captures messages and sends none',
    )
    .option('--webhook-url <url>', 'where Mautic reaches Mailyard; default: the public URL')
    .option(
      '--webhook-unproven',
      'create the webhook although Mailyard does not reach itself at this address',
    )
    .option('--no-webhook', 'do not create the webhook in Mautic')
    .option(
      '--new-password',
      'of one that is connected: create a new SMTP password and show the DSN',
    )
    .option('--no-wait', 'do not wait for a message')
    .option('--wait-seconds <seconds>', 'how long to wait for a message', '600')
    .action(act(async () => (await import('./commands/mautic-connect.ts')).connectMautic))
  explain(
    mautic.command('check <mautic>'),
    'check a Mautic stage by stage, by its name, id or URL',
    'mautic check brand',
  ).action(act(async () => (await load()).checkMautic))
  addLimit(
    explain(
      mautic.command('refusals <mautic>'),
      'list the messages of a Mautic that were refused, the newest first',
      'mautic refusals brand --from 2026-01-31',
    ),
  )
    .option(
      '--outcome <outcomes>',
      'refused, expired, suppressed, cancelled, uncertain; with commas',
    )
    .option('--from <time>', 'since then, such as 2026-01-31')
    .option('--to <time>', 'until then')
    .action(act(async () => (await load()).listRefusals))
  explain(
    mautic.command('import <mautic>'),
    'import from the plug-ins Multiple Transport and Twig Templates of a Mautic',
    'mautic import brand --apply',
  )
    .option('--apply', 'write; without it, only print what would be written')
    .action(act(async () => (await import('./commands/mautic-import.ts')).importFromMautic))
}

function addAccessCommands(program: Command, act: Act): void {
  const loadUser = () => import('./commands/user.ts')
  const { group: user } = addRecordCommands(program, act, { name: 'user', example: 'admin' })
  explain(
    user.description('manage users').command('add <username>'),
    'add a user; the password is asked for, or read from a file',
    'user add ann --email ann@example.com --role Administrator',
  )
    .requiredOption('--email <address>', 'email address')
    .option('--first-name <name>', 'first name', '')
    .option('--last-name <name>', 'last name', '')
    .requiredOption('--role <role>', 'id or name of the role')
    .option('--password-file <file>', 'read the password from a file')
    .action(act(async () => (await loadUser()).addUser))
  explain(
    user.command('password <user>'),
    'set the password of a user, by name or id',
    'user password admin',
  )
    .option('--password-file <file>', 'read the password from a file')
    .action(act(async () => (await loadUser()).setPassword))
  addRecordCommands(program, act, { name: 'role', example: 'Administrator' })
  const loadClient = () => import('./commands/client.ts')
  const { group: client } = addRecordCommands(program, act, { name: 'client', example: 'CRM' })
  explain(
    client.description('manage OAuth 2.0 clients').command('add <name>'),
    'add a client; its secret is shown once',
    'client add CRM --redirect-uri https://crm.example.com/callback',
  )
    .option('--grant <type...>', 'authorization_code, refresh_token, client_credentials')
    .option('--redirect-uri <uri...>', 'where authorization codes may be sent')
    .option('--role <role>', 'id or name of the role it has with client_credentials')
    .action(act(async () => (await loadClient()).addClient))
  explain(
    client.command('remove <client>'),
    'remove a client, by its id or name, and revoke its tokens',
    'client remove CRM',
  ).action(act(async () => (await loadClient()).removeClient))
}

function addSecretsCommands(program: Command, act: Act): void {
  const load = () => import('./commands/secrets.ts')
  const secrets = explain(
    program.command('secrets'),
    'manage the keys that secrets are encrypted with',
    'secrets rotate',
  )
  explain(
    secrets.command('rotate'),
    'encrypt every secret again under a new data key, while the service runs',
    'secrets rotate',
  ).action(act(async () => (await load()).rotateSecrets))
  explain(
    secrets.command('rewrap'),
    'encrypt the data keys with a new secret key; then restart with it',
    'secrets rewrap --new-key-file /etc/mailyard/new-key',
  )
    .option(
      '--new-key-file <file>',
      'the new secret key; default: create one and replace the key file',
    )
    .action(act(async () => (await load()).rewrapSecrets))
}

function addCompletionCommand(program: Command, act: Act): void {
  explain(
    program.command('completion'),
    'print a script that completes commands and options in a shell',
    'completion bash > ~/.local/share/bash-completion/completions/mailyard',
  )
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(
      act(async () => {
        const { printCompletion } = await import('./commands/completion.ts')
        return (context, _, shell) => printCompletion(context, program, shell)
      }),
    )
}
