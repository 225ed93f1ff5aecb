import { Command, Option } from 'commander'
import { readVersion } from '../kit/read-version.ts'
import { describeUsageError, exitCodes, printError } from './errors.ts'
import { type CliEnvironment, type CommandContext, createOutput } from './output.ts'

/** The implementation of a command. It is loaded when the command runs. */
type Action<Options> = (
  context: CommandContext,
  options: Options,
  ...args: string[]
) => Promise<number>

/** Runs a command line. Returns the exit code. */
export async function run(args: readonly string[], environment: CliEnvironment): Promise<number> {
  let code: number = exitCodes.ok
  const isJson = args.includes('--json')
  const program = createProgram(environment, isJson, (result) => {
    code = result
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return printError(error, isJson, environment)
  }
}

function createProgram(
  environment: CliEnvironment,
  isJson: boolean,
  finish: (code: number) => void,
): Command {
  const program = new Command('mailyard')
    .description('Sends every email through the right mail transport.')
    .addOption(new Option('--json', 'answer in JSON'))
    .version(readVersion(), '-V, --version', 'show the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => environment.stdout.write(text),
      outputError: (text, write) => write(`${describeUsageError(text)}\n`),
      // With `--json`, printError prints it.
      writeErr: (text) => (isJson ? undefined : environment.stderr.write(text)),
    })
  const act =
    <Options>(load: () => Promise<Action<Options>>) =>
    async (...args: unknown[]) => {
      const command = args.at(-1) as Command
      const context = { environment, output: createOutput(environment.stdout, isJson) }
      const action = await load()
      finish(await action(context, command.opts() as Options, ...command.args))
    }
  addServiceCommands(program, act)
  addUserCommands(program, act)
  addClientCommands(program, act)
  addSecretsCommands(program, act)
  addMailCommands(program, act)
  addQueueCommands(program, act)
  addSuppressionCommands(program, act)
  addMauticCommands(program, act)
  addOAuthCommands(program, act)
  return program
}

type Act = <Options>(load: () => Promise<Action<Options>>) => (...args: unknown[]) => Promise<void>

function addServiceCommands(program: Command, act: Act): void {
  program
    .command('serve')
    .description('serve the API')
    .action(act(async () => (await import('./commands/serve.ts')).serve))
  program
    .command('migrate')
    .description('bring the database up to date')
    .action(act(async () => (await import('./commands/migrate.ts')).runMigrations))
  program
    .command('doctor')
    .description(
      'check configuration, ports, database, keys, DSNs, log-ins that end, backlog and clock',
    )
    .action(act(async () => (await import('./commands/doctor.ts')).doctor))
}

function addUserCommands(program: Command, act: Act): void {
  const user = program.command('user').description('manage users')
  user
    .command('add <username>')
    .description('add a user; the password is asked for, or read from a file')
    .requiredOption('--email <address>', 'email address')
    .option('--first-name <name>', 'first name', '')
    .option('--last-name <name>', 'last name', '')
    .requiredOption('--role <role>', 'id or name of the role')
    .option('--password-file <file>', 'read the password from a file')
    .action(act(async () => (await import('./commands/user.ts')).addUser))
  user
    .command('list')
    .description('list the users')
    .action(act(async () => (await import('./commands/user.ts')).listUsers))
  user
    .command('password <username>')
    .description('set the password of a user')
    .option('--password-file <file>', 'read the password from a file')
    .action(act(async () => (await import('./commands/user.ts')).setPassword))
}

function addClientCommands(program: Command, act: Act): void {
  const client = program.command('client').description('manage OAuth 2.0 clients')
  client
    .command('add <name>')
    .description('add a client; its secret is shown once')
    .option('--grant <type...>', 'authorization_code, refresh_token, client_credentials')
    .option('--redirect-uri <uri...>', 'where authorization codes may be sent')
    .option('--role <role>', 'id or name of the role it has with client_credentials')
    .action(act(async () => (await import('./commands/client.ts')).addClient))
  client
    .command('list')
    .description('list the clients')
    .action(act(async () => (await import('./commands/client.ts')).listClients))
  client
    .command('remove <id>')
    .description('remove a client and revoke its tokens')
    .action(act(async () => (await import('./commands/client.ts')).removeClient))
}

function addSecretsCommands(program: Command, act: Act): void {
  const secrets = program
    .command('secrets')
    .description('manage the keys that secrets are encrypted with')
  secrets
    .command('rotate')
    .description('encrypt every secret again under a new data key, while the service runs')
    .action(act(async () => (await import('./commands/secrets.ts')).rotateSecrets))
  secrets
    .command('rewrap')
    .description('encrypt the data keys with a new secret key; then restart with it')
    .option(
      '--new-key-file <file>',
      'the new secret key; default: create one and replace the key file',
    )
    .action(act(async () => (await import('./commands/secrets.ts')).rewrapSecrets))
}

function addMailCommands(program: Command, act: Act): void {
  program
    .command('role')
    .description('manage roles')
    .command('list')
    .description('list the roles')
    .action(act(async () => (await import('./commands/lists.ts')).listRoles))
  const transport = program.command('transport').description('manage mail transports')
  transport
    .command('list')
    .description('list the transports; secrets are masked')
    .option('--published', 'only published ones')
    .action(act(async () => (await import('./commands/lists.ts')).listTransports))
  transport
    .command('test <transport>')
    .description('send a test message through a transport, by its id or name')
    .option('--to <address>', 'recipient; default: its testedEmailFrom')
    .option('--transcript', 'print the whole dialogue, without secrets')
    .action(act(async () => (await import('./commands/test-transport.ts')).testTransport))
  program
    .command('delivery')
    .description('look at deliveries')
    .command('list')
    .description('list the deliveries, the newest first')
    .option('--limit <count>', 'how many; default 30')
    .option(
      '--outcome <outcome>',
      'with this outcome, such as refused or expired; an unknown one lists all',
    )
    .option('--recipient <address>', 'to this address')
    .option('--transport <id>', 'through this transport')
    .option('--email <id>', 'of this email')
    .option('--contact <id>', 'to this contact')
    .action(act(async () => (await import('./commands/lists.ts')).listDeliveries))
  program
    .command('broadcast')
    .description('look at broadcasts')
    .command('list')
    .description('list the broadcasts, the newest first')
    .option('--limit <count>', 'how many; default 30')
    .action(act(async () => (await import('./commands/lists.ts')).listBroadcasts))
}

function addQueueCommands(program: Command, act: Act): void {
  const load = () => import('./commands/queue.ts')
  const queue = program.command('queue').description('look at queued messages and change them')
  const addFilters = (command: Command) =>
    command
      .option('--state <states>', 'queued, deferred, sending, held, uncertain; with commas')
      .option('--lane <lane>', 'transactional or bulk')
      .option('--transport <id>', 'for this transport; `default`, or `none` if none was chosen yet')
      .option('--recipient <address>', 'to this address; * stands for any text')
      .option('--sender <address>', 'from this address; * stands for any text')
      .option('--mautic <mautic>', 'of this Mautic, by its name, id or URL')
      .option('--email <id>', 'of this email: of the Mautic, else of Mailyard itself')
      .option('--older-than <hours>', 'added before so many hours')
  addFilters(queue.command('list').description('list queued messages, the newest first'))
    .option('--limit <count>', 'how many; default 30')
    .action(act(async () => (await load()).listQueue))
  const addChange = (name: string, description: string) =>
    addFilters(queue.command(`${name} [ids...]`).description(description))
      .option('--all', 'everything in the queue')
      .option('--dry-run', 'count what would be changed, and change nothing')
  addChange('retry', 'retry messages now').action(act(async () => (await load()).retryQueued))
  addChange('hold', 'hold messages until they are released').action(
    act(async () => (await load()).holdQueued),
  )
  addChange('release', 'release held messages').action(
    act(async () => (await load()).releaseQueued),
  )
  addChange('cancel', 'delete messages; their senders are not notified').action(
    act(async () => (await load()).cancelQueued),
  )
  const brakes = queue
    .command('brakes')
    .description('list the groups of bulk messages that their brakes hold')
    .action(act(async () => (await load()).listBrakes))
  brakes
    .command('continue <id>')
    .description('release the messages that a brake holds')
    .action(act(async () => (await load()).continueBrake))
  brakes
    .command('cancel <id>')
    .description('delete the messages that a brake holds; their senders are not notified')
    .action(act(async () => (await load()).cancelBrake))
}

function addSuppressionCommands(program: Command, act: Act): void {
  const load = () => import('./commands/suppressions.ts')
  const suppression = program.command('suppression').description('look at suppressions')
  const addEvidence = (command: Command) =>
    command
      .option('--broadcast <id>', 'bounces that this broadcast found')
      .option('--transport <id>', 'bounces that this transport found; `default` for the configured')
  addEvidence(suppression.command('list').description('list suppressions, the newest first'))
    .option('--limit <count>', 'how many; default 30')
    .option('--address <address>', 'of this address')
    .option('--reason <reason>', 'unsubscribed, bounced, complained or manual')
    .action(act(async () => (await load()).listSuppressions))
  addEvidence(
    suppression.command('undo').description('delete bounces by what found them, also at Mautics'),
  )
    .option('--dry-run', 'count what would be undone, and change nothing')
    .action(act(async () => (await load()).undoSuppressions))
}

function addMauticCommands(program: Command, act: Act): void {
  const load = () => import('./commands/mautic.ts')
  const mautic = program.command('mautic').description('connect Mautics')
  mautic
    .command('connect <url>')
    .description('connect a Mautic, and wait for its first message; what is missing is asked for')
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
  mautic
    .command('list')
    .description('list the connected Mautics')
    .action(act(async () => (await load()).listMautics))
  mautic
    .command('check <mautic>')
    .description('check a Mautic stage by stage, by its name, id or URL')
    .action(act(async () => (await load()).checkMautic))
  mautic
    .command('refusals <mautic>')
    .description('list the messages of a Mautic that were refused, the newest first')
    .option('--limit <count>', 'how many; default 30')
    .option(
      '--outcome <outcomes>',
      'refused, expired, suppressed, cancelled, uncertain; with commas',
    )
    .option('--from <time>', 'since then, such as 2026-01-31')
    .option('--to <time>', 'until then')
    .action(act(async () => (await load()).listRefusals))
  mautic
    .command('import <mautic>')
    .description('import from the plug-ins Multiple Transport and Twig Templates of a Mautic')
    .option('--apply', 'write; without it, only print what would be written')
    .action(act(async () => (await import('./commands/mautic-import.ts')).importFromMautic))
}

function addOAuthCommands(program: Command, act: Act): void {
  program
    .command('oauth')
    .description('log in to providers with OAuth 2.0')
    .command('google')
    .description(
      "sign in with Google, and print a DSN with a refresh token; the client's secret is asked for, or read from standard input or a file",
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
