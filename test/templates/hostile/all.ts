import { extras } from './extras.ts'
import { floods } from './floods.ts'
import { hostAccess } from './host-access.ts'
import type { HostileTemplate } from './hostile-template.ts'
import { monsters } from './monsters.ts'
import { patterns } from './patterns.ts'
import { runaways } from './runaways.ts'

/** All hostile templates, by the kind of attack. */
export const hostileTemplates: Readonly<Record<string, readonly HostileTemplate[]>> = {
  'takes all time': runaways,
  'takes all memory': floods,
  'uses a pattern that backtracks': patterns,
  'reaches for the host': hostAccess,
  'is a monster': monsters,
  'attacks a library': extras,
}
