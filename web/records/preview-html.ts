/** More would keep the browser busy. */
const lengthMax = 1_000_000
const sources = /(\s)(src|srcset|background|poster)\s*=(?!\s*["']?\s*data:)/gi
const styleUrls = /\burl\((?!\s*["']?\s*(?:data:|#))\s*(["']?)/gi
const links = /<link\b/gi
const scripts = /<script\b/gi
const imports = /@import\b/gi
const darkRules = /\(\s*prefers-color-scheme\s*:\s*dark\s*\)/gi
const lightRules = /\(\s*prefers-color-scheme\s*:\s*light\s*\)/gi
const [always, never] = ['(min-width:0px)', '(max-width:0px)']

/**
 * Makes a page of an email's HTML that loads nothing and runs nothing. The policy of the console and the sandbox of the
 * frame forbid that as well; here it is left out, and replaced by a frame where an image would be.
 *
 * @returns `blocked`: how many images and other files of other servers the page does not load.
 */
export function makePreviewPage(html: string, isDark: boolean) {
  let blocked = 0
  const count = (text: string) => {
    blocked += 1
    return text
  }
  const safe = html
    .slice(0, lengthMax)
    .replace(sources, (_, blank: string, name: string) => count(`${blank}data-${name}=`))
    .replace(styleUrls, (_, quote: string) => count(`url(${quote}data:,`))
    .replace(imports, () => count('@off'))
    .replace(links, () => '<meta')
    .replace(scripts, () => '<script type="text/plain"')
    .replace(darkRules, isDark ? always : never)
    .replace(lightRules, isDark ? never : always)
  const scheme = isDark ? 'dark' : 'light'
  // `:where` yields to every rule of the email: only text without a font gets this one.
  const font = ':where(html){font-family:system-ui,Helvetica,Arial,sans-serif}'
  const style = `${font}:root{color-scheme:${scheme}}img[data-src]{outline:1px dashed #888;outline-offset:-1px}`
  return { html: `${safe}<style>${style}</style><base target="_blank">`, blocked }
}
