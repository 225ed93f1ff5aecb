import { formatNumber } from './format.ts'

/** The words of the screens of limits. */
export const limitWords = {
  title: 'Limits',
  add: 'Add a limit',
  task: 'How to warm up a new sender',
  empty:
    'No limit yet. A limit is what a provider account allows, for example 14 messages a second. All transports of the account share it.',
  noMatch: 'No limit matches.',
  search: 'Search by name or description',
  name: 'Name',
  used: 'Used',
  state: 'State',
  newTitle: 'New limit',
  saved: (name: string) => `Limit "${name}" is saved.`,
  deleteTitle: (name: string) => `Delete "${name}"?`,
  deleteText: 'Its transports then send without it.',
  labels: {
    name: 'Name',
    description: 'Description',
    transports: 'Transports',
    perSecond: 'Recipients per second',
    perMinute: 'Recipients per minute',
    perHour: 'Recipients per hour',
    perDay: 'Recipients per day',
    perMonth: 'Recipients per month',
    connectionsMax: 'Connections at a time',
    startDate: 'Start date',
    firstDay: 'Recipients on the first day',
    growthPercent: 'Growth per day, in percent',
    overflow: 'When it is reached',
    isPublished: 'Published',
  },
  emptyHelp: 'Empty for no limit. Each recipient of a message counts.',
  addTransport: 'Add a transport',
  removeTransport: (name: string) => `Remove ${name}`,
  transport: (id: number) => `Transport ${id}`,
  rates: 'Limits',
  overflows: {
    queue: 'Wait in the queue',
    next: 'Use the next transport of the route',
    refuse: 'Refuse for now',
  },
  overflowHelp: {
    queue: 'The message is sent as soon as the limit allows it.',
    next: 'A message that names its transport waits instead.',
    refuse: 'The sender may try again later.',
  },
  publishedHelp: 'An unpublished limit does not apply.',
  usage: {
    title: 'Usage',
    refresh: 'Refresh',
    windows: {
      second: 'This second',
      minute: 'This minute',
      hour: 'This hour',
      day: 'Today (UTC)',
      month: 'This month (UTC)',
    },
    connections: 'Connections',
    bar: (window: string, used: number, max: number) =>
      `${window}: ${formatNumber(used)} of ${formatNumber(max)} used`,
    freeAt: 'Free again',
  },
  warmUp: {
    title: 'Warm-up',
    use: 'Start slowly and send more each day',
    help: 'Providers trust a new sender that grows slowly.',
    chart: (days: number, last: number) =>
      `Recipients per day: ${formatNumber(last)} on day ${formatNumber(days)}`,
    day: (day: number) => `Day ${formatNumber(day)}`,
    count: (count: number) => formatNumber(count),
    today: (day: number, allowance: number) =>
      day === 0
        ? `It has not started. Today allows ${formatNumber(allowance)} recipients.`
        : `Today is day ${formatNumber(day)}: it allows ${formatNumber(allowance)} recipients.`,
  },
  ofTransport: {
    title: 'Limits',
    none: 'No limit applies to this transport.',
    all: 'All limits',
  },
}
