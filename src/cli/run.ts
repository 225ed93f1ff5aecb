import { Command, Option } from 'commander'
import { readVersion } from '../kit/read-version.ts'
import type { CommandContext } from './command-context.ts'
import { exitCodes } from './exit-codes.ts'
import { createOutput } from './output.ts'
import type { Surroundings } from './surroundings.ts'
import { tellError } from './tell-error.ts'
import { describeUsageError } from './usage-error.ts'

/** A command's own part; loaded only when it is run. */
type Action<Options> = (
  context: CommandContext,
  options: Options,
  ...args: string[]
) => Promise<number>

/** Runs the command line; returns the exit code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  let code: number = exitCodes.ok
  const isJson = args.includes('--json')
  const program = createProgram(surroundings, isJson, (result) => {
    code = result
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return tellError(error, isJson, surroundings)
  }
}

function createProgram(
  surroundings: Surroundings,
  isJson: boolean,
  finish: (code: number) => void,
): Command {
  const program = new Command('mailyard')
    .description('Sends every email through the right mail transport.')
    .addOption(new Option('--json', 'answer in JSON'))
    .version(readVersion(), '-V, --version', 'show the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      outputError: (text, write) => write(`${describeUsageError(text)}\n`),
      // With `--json` it is told as every other error is.
      writeErr: (text) => (isJson ? undefined : surroundings.stderr.write(text)),
    })
  const act =
    <Options>(load: () => Promise<Action<Options>>) =>
    async (...given: unknown[]) => {
      const command = given.at(-1) as Command
      const context = { surroundings, output: createOutput(surroundings.stdout, isJson) }
      const action = await load()
      finish(await action(context, command.opts() as Options, ...command.args))
    }
  addServiceCommands(program, act)
  addUserCommands(program, act)
  addClientCommands(program, act)
  addSecretsCommands(program, act)
  addMailCommands(program, act)
  return program
}

type Act = <Options>(load: () => Promise<Action<Options>>) => (...given: unknown[]) => Promise<void>

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
    .description('check configuration, ports, database, keys, DSNs, backlog and clock')
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
    .description('remove a client; its tokens end at once')
    .action(act(async () => (await import('./commands/client.ts')).removeClient))
}

function addSecretsCommands(program: Command, act: Act): void {
  const secrets = program
    .command('secrets')
    .description('manage the keys that secrets are encrypted with')
  secrets
    .command('rotate')
    .description('encrypt every secret anew under a new data key, while the service runs')
    .action(act(async () => (await import('./commands/secrets.ts')).rotateSecrets))
  secrets
    .command('rewrap')
    .description('wrap the data keys under a new secret key; then restart with it')
    .option(
      '--new-key-file <file>',
      'the new secret key; default: make one and replace the key file',
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
    .option('--outcome <outcome>', 'started, accepted, refused or uncertain')
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
