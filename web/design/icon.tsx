import { createElement } from 'preact'
import nodes from './lucide.json' with { type: 'json' }

/** Copied from Lucide 1.65: its package has 2,000 icons in 4,000 files. A new one is copied, too (`lucide-license.txt`). */
const lucide = nodes as unknown as Record<keyof typeof nodes, [string, object][]>

/** The icons of the console, by what they mean here. They are those of Lucide, and part of the page's code. */
export const icons = {
  overview: lucide.LayoutDashboard,
  transports: lucide.Send,
  limits: lucide.Gauge,
  assignments: lucide.Link2,
  routing: lucide.Route,
  senders: lucide.BadgeCheck,
  templates: lucide.FileCode2,
  emails: lucide.Mail,
  contacts: lucide.Users,
  suppressions: lucide.ShieldBan,
  deliveries: lucide.ScrollText,
  queue: lucide.ListOrdered,
  inbox: lucide.Inbox,
  health: lucide.HeartPulse,
  brands: lucide.Tag,
  mautics: lucide.PlugZap,
  webhooks: lucide.Webhook,
  access: lucide.KeyRound,
  accepted: lucide.Check,
  deferred: lucide.Clock,
  refused: lucide.X,
  uncertain: lucide.CircleHelp,
  suppressed: lucide.Ban,
  expired: lucide.Hourglass,
  cancelled: lucide.CircleSlash,
  started: lucide.LoaderCircle,
  delivered: lucide.MailCheck,
  bounced: lucide.Undo2,
  complained: lucide.Flag,
  unsubscribed: lucide.UserMinus,
  rejected: lucide.X,
  good: lucide.CircleCheck,
  wait: lucide.Clock,
  warn: lucide.TriangleAlert,
  bad: lucide.CircleX,
  held: lucide.Hand,
  search: lucide.Search,
  more: lucide.Ellipsis,
  back: lucide.ChevronLeft,
  up: lucide.ArrowUp,
  down: lucide.ArrowDown,
  settings: lucide.Settings,
  docs: lucide.BookOpen,
  code: lucide.Code,
  copy: lucide.Copy,
  remove: lucide.Trash2,
} as const

export type IconName = keyof typeof icons

/** An icon beside words: assistive technology skips it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {icons[name].map(([tag, attributes], index) =>
        createElement(tag, { key: index, ...attributes }),
      )}
    </svg>
  )
}
