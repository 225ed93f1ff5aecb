import { counted, formatClock, formatNumber } from './format.ts'
import { labels, recordWords } from './records.ts'

export const limitWords = {
  ...recordWords('a limit'),
  empty:
    'No limit yet. A limit is what a provider account allows, for example 14 messages a second. All transports of the account share it.',
  used: 'Used',
  deleteText: 'Its transports then send without it.',
  labels: {
    ...labels,
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
    hasWarmUp: 'Start slowly and send more each day',
  },
  help: {
    brand:
      'Without a transport, the limit is the budget of its brand: it counts all messages of the brand, and has no warm-up and no connections.',
    isPublished: 'An unpublished limit does not apply.',
    hasWarmUp: 'Providers trust a new sender that grows slowly.',
  },
  about: {
    title: 'How a limit works',
    points: () => [
      'All its transports, in all processes, share it. Together they never send more.',
      'Each recipient of a message counts, as most providers count.',
      `Days and months begin at ${formatClock(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`)}. A second is any span of one second.`,
      'A message that finds a full limit waits, takes the next transport of its route, or is refused for now, as you choose.',
    ],
  },
  preset: 'Fill in what a provider allows',
  noPreset: 'Own numbers',
  presetHelp: 'As the provider publishes it. Your account may differ.',
  presetSource: 'Check them with your account. Source:',
  emptyHelp: 'Empty for no limit. Each recipient of a message counts.',
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
  usage: {
    title: 'Usage',
    waiting: (transport: string, count: number) =>
      `${transport}: ${counted(count, 'message')} waiting`,
    windows: {
      second: 'This second',
      minute: 'This minute',
      hour: 'This hour',
      day: 'Today',
      month: 'This month',
    },
    connections: 'Connections',
    bar: (window: string, used: number, max: number) =>
      `${window}: ${formatNumber(used)} of ${formatNumber(max)} used`,
    freeAt: 'Free again',
  },
  warmUp: {
    title: 'Warm-up',
    axis: 'Recipients per day',
    of: (day: number, isToday: boolean, allowance: number) =>
      `Day ${formatNumber(day)}${isToday ? ' (today)' : ''}: ${formatNumber(allowance)}`,
    chart: (days: number, last: number) =>
      `Recipients per day: ${formatNumber(last)} on day ${formatNumber(days)}`,
    day: (day: number) => `Day ${formatNumber(day)}`,
    today: (day: number, allowance: number) =>
      day === 0
        ? `It has not started. Today allows ${formatNumber(allowance)} recipients.`
        : `Today is day ${formatNumber(day)}: it allows ${formatNumber(allowance)} recipients.`,
  },
  ofTransport: {
    none: 'No limit applies to this transport.',
    all: 'All limits',
  },
}
