import { formatDay, formatList, formatNumber } from '../lib/format.ts'

function count(value: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : nouns}`
}

/** The end of a log-in, as the API describes it. */
interface Ending {
  provider: string | null
  date: string | null
  daysLeft: number | null
}

/** What depends on a transport. */
interface Uses {
  emails: number
  users: number
  mautics: number
}

/** The words about log-ins that stop working. */
const endingWords = {
  title: 'Log-ins that end',
  all: 'All transports',
  byDefault: 'Default transport (MAILYARD_MAILER_DSN)',
  ends({ provider, date, daysLeft }: Ending): string {
    if (date === null || daysLeft === null)
      return 'The access token expires within the hour and is not renewed.'
    const verb = daysLeft < 0 ? 'ended' : 'end'
    return `Passwords at ${provider ?? ''} ${verb} on ${formatDay(date)}.`
  },
  left({ daysLeft }: Ending): string {
    if (daysLeft === null) return 'Access token'
    if (daysLeft === 0) return 'Ends today'
    return daysLeft < 0 ? 'Ended' : `${count(daysLeft, 'day')} left`
  },
  depends({ emails, users, mautics }: Uses): string {
    const counts = [
      ...(emails > 0 ? [count(emails, 'email')] : []),
      ...(users > 0 ? [count(users, 'user')] : []),
      ...(mautics > 0 ? [count(mautics, 'Mautic')] : []),
    ]
    const verb = emails + users + mautics === 1 ? 'depends' : 'depend'
    return counts.length === 0
      ? 'Nothing is assigned to it.'
      : `${formatList(counts)} ${verb} on it.`
  },
  byDefaultDepends: 'Every message without another transport depends on it.',
  more: (transports: number) => `And ${count(transports, 'more transport')}.`,
} as const

/** The words of the screens of transports. */
export const transportWords = {
  title: 'Transports',
  add: 'Add a transport',
  assigned: (emails: number, users: number) =>
    emails + users === 0
      ? 'Not assigned'
      : `Assigned to ${count(emails, 'email')} and ${count(users, 'user')}`,
  list: {
    none: 'No transport yet. A transport is a mail server or provider that Mailyard sends through.',
    task: 'How to go to production',
    noMatch: 'No transport matches.',
    search: 'Search by name or description',
    name: 'Name',
    server: 'Server',
    state: 'State',
    lastTest: 'Last test',
    day: 'Last 24 hours',
    activity: (total: number, refused: number) =>
      `${count(total, 'delivery', 'deliveries')} in the last 24 hours, ${formatNumber(refused)} refused`,
    assignments: 'Assignments',
    changed: 'Changed',
    warnings: (count: number) => (count === 1 ? '1 warning' : `${formatNumber(count)} warnings`),
    deleteMany: (count: number) =>
      count === 1 ? 'Delete 1 transport?' : `Delete ${formatNumber(count)} transports?`,
    deleteText:
      'Emails that used them are sent through the next transport of their route. Deleted transports can be restored for some time.',
  },
  editor: {
    newTitle: 'New transport',
    copyName: (name: string) => `Copy of ${name}`,
    labels: {
      name: 'Name',
      mailerDsn: 'DSN',
      testedEmailFrom: 'Sender of test messages',
      description: 'Description',
      mautic: 'For messages of',
      isPublished: 'Published',
    },
    testedEmailFromHelp: 'Empty for the sender in the settings.',
    mauticHelp: 'A transport that belongs to a Mautic sends only messages of this Mautic.',
    everyMautic: 'Mailyard itself and every Mautic',
    onlyMautic: (name: string) => `Only ${name}`,
    publishedHelp: 'Routes skip an unpublished transport.',
    sameName: 'has the same name. Use ids where you name a transport, or rename one.',
    transport: (id: number) => `Transport ${id}`,
    saved: (name: string) => `Transport "${name}" is saved.`,
    testAndSave: 'Test and save',
    saveUntested: 'Save without a test',
    testedTo: (recipient: string) => `The test message is sent to ${recipient}.`,
    changeAddress: 'Change your address',
    noRecipient:
      'You have no email address, so there is no recipient of the test message. Fill in the sender of test messages: the message is sent there.',
    duplicate: 'Duplicate',
    deliveries: 'Show the deliveries',
    moveTask: 'How to move a brand to another provider',
    deleteTitle: (name: string) => `Delete "${name}"?`,
    deleteText:
      'Emails that used it are sent through the next transport of their route. Deleted transports can be restored for some time.',
  },
  ending: endingWords,
  move: {
    action: 'Move to OAuth',
    task: 'How to move to OAuth',
    unsaved: 'Save or discard your changes first.',
    title: (name: string) => `Move "${name}" to OAuth`,
    help: 'The name, assignments and limits stay. The new log-in is tested while the old one stays in use, and replaces it only if the test passes.',
    moved: (name: string) => `Transport "${name}" logs in with OAuth.`,
  },
  dsn: {
    provider: 'Provider',
    chooseProvider: 'Choose a provider, or paste a DSN below',
    kinds: { general: 'General', list: 'Several transports', provider: 'Providers' },
    variant: 'Sends by',
    credentials: (provider: string) => `Where ${provider} shows these values`,
    choose: 'Choose',
    standard: (value: string | null) => (value === null ? 'Default' : `Default: ${value}`),
    byDefault: (value: string) => `Default: ${value}.`,
    example: (value: string) => `For example ${value}`,
    more: (changed: number) =>
      changed === 0 ? 'More settings' : `More settings (${formatNumber(changed)} set)`,
    otherOption: (name: string) => `Option ${name}`,
    otherOptionHelp: 'This option of the DSN has no field. Empty it to remove it.',
    text: 'DSN',
    textHelp: 'The same as the fields above: change either.',
    textExample: 'smtp://user:password@smtp.example.com:587',
    hidden: 'Secrets are hidden. Show the DSN to change it here.',
    connects: (server: string) => `Connects to ${server}.`,
    tls: {
      implicit: 'TLS from the start.',
      starttls: 'TLS by STARTTLS is required.',
      opportunistic: 'TLS by STARTTLS where it is offered.',
      none: 'No TLS.',
    },
    members: 'Members',
    noProvider: 'No provider',
    member: (place: number, title: string) => `${formatNumber(place)}. ${title}`,
    up: 'Up',
    down: 'Down',
    moveUp: (place: number) => `Move member ${formatNumber(place)} up`,
    moveDown: (place: number) => `Move member ${formatNumber(place)} down`,
    remove: (place: number) => `Remove member ${formatNumber(place)}`,
    moved: (title: string, place: number, all: number) =>
      `${title} is now ${formatNumber(place)} of ${formatNumber(all)}.`,
    removed: (place: number) => `Member ${formatNumber(place)} is removed.`,
    addMember: 'Add a member',
    membersHelp: (provider: string, max: number) =>
      `${provider === 'failover' ? 'The first that works is used.' : 'They are used in turn.'} Alt and the arrow keys move a member. At most ${formatNumber(max)}.`,
  },
  test: {
    passwordTask: 'What to do when a password stops working',
    downTask: 'What to do when a provider is down',
    title: 'Test',
    help: 'Sends a message through exactly these values, saved or not.',
    to: 'To',
    send: 'Send a test',
    cancel: 'Cancel the test',
    cancelled: 'The test was cancelled.',
    running: 'Running',
    transcript: 'Transcript',
    outcomes: { ok: 'Passed', failed: 'Failed', skipped: 'Skipped' },
    stages: {
      parse: 'Read the DSN',
      resolve: 'Find the server',
      connect: 'Connect',
      tls: 'Encrypt',
      greeting: 'Greeting',
      ehlo: 'EHLO',
      token: 'Access token',
      auth: 'Log in',
      sender: 'Sender',
      recipient: 'Recipient',
      data: 'Message',
      request: 'Request',
    },
    last: 'Last test',
    never: 'Not tested',
    passed: 'Passed',
    failed: 'Failed',
    by: (name: string) => `by ${name}`,
  },
} as const
