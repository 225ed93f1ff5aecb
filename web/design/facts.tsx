import type { ComponentChildren } from 'preact'
import { words } from '../words/common.ts'
import { LongText } from './long-text.tsx'

export type Fact = readonly [name: ComponentChildren, value: ComponentChildren]

/** Names and values: what a record says where it cannot be changed. Values that are empty show a dash, or are left out. */
export function Facts({ facts, isShort = false }: { facts: readonly Fact[]; isShort?: boolean }) {
  const shown = isShort ? facts.filter(([, value]) => value) : facts
  return (
    <dl class="facts">
      {shown.map(([name, value], index) => (
        <div key={index} class="fact">
          <dt>{name}</dt>
          <dd>
            {typeof value === 'string' ? (
              <LongText text={value || words.none} />
            ) : (
              (value ?? words.none)
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
