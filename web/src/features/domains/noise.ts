/**
 * Paths that scanners for vulnerable software request from every host. A missed visit to one of
 * them says nothing about a link.
 */
const PROBES = [
  // Scripts and pages of server software.
  String.raw`\.(?:php\d?|phtml|aspx?|ashx|asmx|jspx?|do|action|cgi|pl|cfm)$`,
  // Dumps, archives, keys and configuration.
  String.raw`\.(?:env|sql|bak|old|orig|save|swp|zip|tar|gz|tgz|rar|7z|log|ini|conf|cfg|ya?ml|toml|pem|key|pfx|p12|db|sqlite3?)$`,
  // Hidden files and folders.
  String.raw`^/(?:.*/)?\.(?:env|git|svn|hg|aws|ssh|docker|vscode|idea|DS_Store|htaccess|htpasswd|npmrc|bash_history|config)\b`,
  // Products, by their first segment.
  String.raw`^/(?:blog/wp-[^/]*|wp-(?:admin|content|includes|json|login|config)[^/]*|xmlrpc|phpmyadmin|pma|myadmin|adminer|mysql|administrator|joomla|drupal|magento|typo3|cgi-bin|vendor|phpunit|laravel|telescope|_ignition|_profiler|actuator|solr|jenkins|manager/html|struts|hudson|geoserver|owa|ecp|autodiscover|remote/(?:login|fgt_lang)|dana-na|sslvpn|boaform|HNAP1|GponForm|server-status|server-info|web-inf|config\.json|credentials|evox|nmaplowercheck\w*|\.well-known)(?:[/.?]|$)`,
].map((pattern) => new RegExp(pattern, 'i'))

/** Whether a path is typical of scanners. */
export function isNoise(path: string): boolean {
  return PROBES.some((pattern) => pattern.test(path))
}
