import type { ComponentChildren } from 'preact'

/** The tokens of `:root` in base.css, read from the page, so that none is missing here. */
export function Tokens() {
  const tokens = readTokens()
  const of = (kind: Kind) => tokens.filter((token) => token.kind === kind)
  return (
    <>
      <h3>Colours</h3>
      <Samples>
        {of('colour').map(({ name }) => (
          <Sample key={name} name={name}>
            <svg class="input" width="100%" height="40" aria-hidden="true">
              <rect width="100%" height="100%" fill={`var(${name})`} />
            </svg>
          </Sample>
        ))}
      </Samples>
      <h3>Spaces</h3>
      <Samples>
        {of('space').map(({ name, value }) => (
          <Sample key={name} name={`${name} ${value}`}>
            <svg width={value} height="16" aria-hidden="true">
              <rect width="100%" height="100%" fill="var(--accent)" />
            </svg>
          </Sample>
        ))}
      </Samples>
      <h3>Sizes of text</h3>
      <Samples>
        {of('text').map(({ name, value }) => (
          <Sample key={name} name={`${name} ${value}`}>
            <span style={{ fontSize: `var(${name})` }}>Every email, the right way</span>
          </Sample>
        ))}
      </Samples>
      <p class="quiet small">
        Also:{' '}
        {of('other')
          .map(({ name }) => name)
          .join(', ')}
      </p>
    </>
  )
}

function Samples({ children }: { children: ComponentChildren }) {
  return <div class="fields">{children}</div>
}

function Sample({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="stack">
      {children}
      <code>{name}</code>
    </div>
  )
}

type Kind = 'colour' | 'space' | 'text' | 'other'

interface Token {
  name: string
  value: string
  kind: Kind
}

function readTokens(): Token[] {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  const root = rules.find(
    (rule): rule is CSSStyleRule => rule instanceof CSSStyleRule && rule.selectorText === ':root',
  )
  if (root === undefined) return []
  return [...root.style]
    .filter((name) => name.startsWith('--'))
    .map((name) => {
      const value = root.style.getPropertyValue(name).trim()
      return { name, value, kind: kindOf(name, value) }
    })
}

function kindOf(name: string, value: string): Kind {
  if (value.startsWith('light-dark(')) return 'colour'
  if (/^--s\d/.test(name)) return 'space'
  return value.endsWith('rem') ? 'text' : 'other'
}
