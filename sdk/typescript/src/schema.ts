// Made by web/scripts/schema.ts from the OpenAPI documents. Not to be edited.
export interface paths {
  '/api/v1/plans': {
    get: {
      parameters: {
        query?: { lang?: string; limit?: number; cursor?: string }
        header?: { 'If-None-Match'?: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['PlanList'] } } }
    }
  }
  '/api/v1/links': {
    get: {
      parameters: {
        query?: {
          lang?: string
          id?: string[]
          external_id?: string[]
          slug?: string[]
          search?: string
          q?: string
          tag?: string[]
          any_tag?: string[]
          tagged?: boolean
          has_rules?: boolean
          has_password?: boolean
          clicked?: boolean
          folder_id?: string
          archived?: 'false' | 'true' | 'any'
          domain?: string
          destination_url?: string
          status?: 'blocked' | 'disabled' | 'expired' | 'exhausted' | 'scheduled' | 'active'
          created_by?: string
          created_after?: string
          created_before?: string
          sort?:
            | 'created_at'
            | 'updated_at'
            | 'clicks'
            | 'clicks_with_imported'
            | 'last_clicked_at'
            | 'slug'
            | 'relevance'
          order?: 'asc' | 'desc'
          limit?: number
          per_page?: number
          cursor?: string
          page?: number
          total?: 'exact' | 'quick'
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['LinkList'] } } }
    }
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false'; if_exists?: 'return' }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['LinkCreate'] } }
      responses: {
        200: { content: { 'application/json': components['schemas']['Link'] } }
        201: { content: { 'application/json': components['schemas']['Link'] } }
      }
    }
  }
  '/api/v1/links/lookup': {
    get: {
      parameters: { query: { lang?: string; url: string }; header?: { 'If-None-Match'?: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['Link'] } } }
    }
  }
  '/api/v1/links/external/{external_id}': {
    get: {
      parameters: {
        query?: { lang?: string }
        header?: { 'If-None-Match'?: string }
        path: { external_id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Link'] } } }
    }
    put: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { external_id: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['LinkCreate'] } }
      responses: {
        200: { content: { 'application/json': components['schemas']['Link'] } }
        201: { content: { 'application/json': components['schemas']['Link'] } }
      }
    }
    delete: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { external_id: string }
      }
      responses: { 204: { content?: never } }
    }
    patch: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { external_id: string }
      }
      requestBody: {
        content: {
          'application/merge-patch+json': components['schemas']['LinkPatch']
          'application/json': components['schemas']['LinkPatch']
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Link'] } } }
    }
  }
  '/api/v1/links/deleted': {
    get: {
      parameters: { query?: { lang?: string; id?: string; limit?: number; cursor?: string } }
      responses: {
        200: { content: { 'application/json': components['schemas']['DeletedLinkList'] } }
      }
    }
  }
  '/api/v1/links/{id}': {
    get: {
      parameters: {
        query?: { lang?: string }
        header?: { 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Link'] } } }
    }
    delete: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 204: { content?: never } }
    }
    patch: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      requestBody: {
        content: {
          'application/merge-patch+json': components['schemas']['LinkPatch']
          'application/json': components['schemas']['LinkPatch']
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Link'] } } }
    }
  }
  '/api/v1/links/{id}/history': {
    get: {
      parameters: {
        query?: { lang?: string; limit?: number; cursor?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['LinkHistory'] } } }
    }
  }
  '/api/v1/links/{id}/restore': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      requestBody?: { content: { 'application/json': components['schemas']['LinkRestore'] } }
      responses: { 200: { content: { 'application/json': components['schemas']['Link'] } } }
    }
  }
  '/api/v1/links/bulk': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['LinkBulk'] } }
      responses: {
        200: { content: { 'application/json': components['schemas']['LinkBulkResult'] } }
      }
    }
  }
  '/api/v1/links.csv': {
    get: {
      parameters: {
        query?: {
          lang?: string
          id?: string[]
          external_id?: string[]
          slug?: string[]
          search?: string
          q?: string
          tag?: string[]
          any_tag?: string[]
          tagged?: boolean
          has_rules?: boolean
          has_password?: boolean
          clicked?: boolean
          folder_id?: string
          archived?: 'false' | 'true' | 'any'
          domain?: string
          destination_url?: string
          status?: 'blocked' | 'disabled' | 'expired' | 'exhausted' | 'scheduled' | 'active'
          created_by?: string
          created_after?: string
          created_before?: string
          sort?:
            | 'created_at'
            | 'updated_at'
            | 'clicks'
            | 'clicks_with_imported'
            | 'last_clicked_at'
            | 'slug'
          order?: 'asc' | 'desc'
          raw?: 'true' | 'false'
          bom?: 'true' | 'false'
        }
      }
      responses: { 200: { content: { 'text/csv; charset=utf-8; header=present': string } } }
    }
  }
  '/api/v1/links.ndjson': {
    get: {
      parameters: {
        query?: {
          lang?: string
          id?: string[]
          external_id?: string[]
          slug?: string[]
          search?: string
          q?: string
          tag?: string[]
          any_tag?: string[]
          tagged?: boolean
          has_rules?: boolean
          has_password?: boolean
          clicked?: boolean
          folder_id?: string
          archived?: 'false' | 'true' | 'any'
          domain?: string
          destination_url?: string
          status?: 'blocked' | 'disabled' | 'expired' | 'exhausted' | 'scheduled' | 'active'
          created_by?: string
          created_after?: string
          created_before?: string
          sort?:
            | 'created_at'
            | 'updated_at'
            | 'clicks'
            | 'clicks_with_imported'
            | 'last_clicked_at'
            | 'slug'
          order?: 'asc' | 'desc'
        }
      }
      responses: { 200: { content: { 'application/x-ndjson': string } } }
    }
  }
  '/api/v1/history.ndjson': {
    get: {
      parameters: { query?: { lang?: string } }
      responses: { 200: { content: { 'application/x-ndjson': string } } }
    }
  }
  '/api/v1/links/{id}/appeal': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['Appeal'] } }
      responses: { 204: { content?: never } }
    }
  }
  '/api/v1/jobs': {
    get: {
      parameters: {
        query?: {
          lang?: string
          type?: string[]
          status?: ('queued' | 'running' | 'succeeded' | 'failed' | 'cancelled')[]
          limit?: number
          cursor?: string
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['JobList'] } } }
    }
  }
  '/api/v1/jobs/{id}': {
    get: {
      parameters: { query?: { lang?: string }; path: { id: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/jobs/{id}/cancel': {
    post: {
      parameters: {
        query?: { lang?: string }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/links/bulk/by-filter': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['LinkBulkByFilter'] } }
      responses: { 202: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/links/bulk/by-filter/{id}/undo': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      responses: { 202: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/imports': {
    get: {
      parameters: { query?: { lang?: string; limit?: number; cursor?: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['JobList'] } } }
    }
    post: {
      parameters: {
        query?: {
          lang?: string
          format?:
            | 'auto'
            | 'slugline'
            | 'csv'
            | 'bitly'
            | 'dub'
            | 'shlink'
            | 'yourls'
            | 'kutt'
            | 'short_io'
            | 'rebrandly'
            | 'sink'
            | 'chhoto'
          mapping?: string
          file_name?: string
          domain?: string
          folder_id?: string
          on_conflict?: 'skip' | 'update' | 'rename' | 'fail'
          if_exists?: 'return'
          dry_run?: boolean
        }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: {
        content: { 'text/csv': string; 'application/x-ndjson': string; 'application/json': string }
      }
      responses: { 202: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/imports/preview': {
    post: {
      parameters: { query?: { lang?: string } }
      requestBody: {
        content: { 'text/csv': string; 'application/x-ndjson': string; 'application/json': string }
      }
      responses: {
        200: { content: { 'application/json': components['schemas']['ImportPreview'] } }
      }
    }
  }
  '/api/v1/imports/{id}/undo': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      responses: { 202: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/imports/{id}/start': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      responses: { 202: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/imports/{id}': {
    get: {
      parameters: { query?: { lang?: string }; path: { id: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/imports/remote': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: boolean }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['ImportRemote'] } }
      responses: { 202: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/imports/{id}/rows': {
    get: {
      parameters: {
        query?: {
          lang?: string
          status?: ('created' | 'renamed' | 'updated' | 'skipped' | 'refused')[]
          undo?: ('deleted' | 'restored' | 'kept')[]
          limit?: number
          cursor?: string
        }
        path: { id: string }
      }
      responses: {
        200: { content: { 'application/json': components['schemas']['ImportRowList'] } }
      }
    }
  }
  '/api/v1/imports/{id}/rows.csv': {
    get: {
      parameters: {
        query?: {
          lang?: string
          status?: ('created' | 'renamed' | 'updated' | 'skipped' | 'refused')[]
          undo?: ('deleted' | 'restored' | 'kept')[]
        }
        path: { id: string }
      }
      responses: { 200: { content: { 'text/csv; charset=utf-8; header=present': string } } }
    }
  }
  '/api/v1/links/{id}/qr.svg': {
    get: {
      parameters: {
        query?: {
          lang?: string
          size?: number
          margin?: number
          dark?: string
          light?: string
          correction?: 'L' | 'M' | 'Q' | 'H'
          modules?: 'square' | 'rounded' | 'dots'
          eyes?: 'square' | 'rounded' | 'circle'
          logo?: 'true' | 'false'
        }
        header?: { 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'image/svg+xml': string } } }
    }
  }
  '/api/v1/links/{id}/qr.png': {
    get: {
      parameters: {
        query?: {
          lang?: string
          size?: number
          margin?: number
          dark?: string
          light?: string
          correction?: 'L' | 'M' | 'Q' | 'H'
          modules?: 'square' | 'rounded' | 'dots'
          eyes?: 'square' | 'rounded' | 'circle'
          logo?: 'true' | 'false'
        }
        header?: { 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'image/png': string } } }
    }
  }
  '/api/v1/links/{id}/explain': {
    post: {
      parameters: { query?: { lang?: string }; path: { id: string } }
      requestBody: { content: { 'application/json': components['schemas']['ExplainLink'] } }
      responses: { 200: { content: { 'application/json': components['schemas']['Explanation'] } } }
    }
  }
  '/api/v1/explain': {
    post: {
      parameters: { query?: { lang?: string } }
      requestBody: { content: { 'application/json': components['schemas']['ExplainUrl'] } }
      responses: { 200: { content: { 'application/json': components['schemas']['Explanation'] } } }
    }
  }
  '/api/v1/logo': {
    get: {
      parameters: { query?: { lang?: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['Logo'] } } }
    }
    put: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['LogoUpload'] } }
      responses: { 200: { content: { 'application/json': components['schemas']['Logo'] } } }
    }
    delete: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
      }
      responses: { 204: { content?: never } }
    }
  }
  '/api/v1/utm-templates': {
    get: {
      parameters: { query?: { lang?: string; limit?: number; cursor?: string } }
      responses: {
        200: { content: { 'application/json': components['schemas']['UtmTemplateList'] } }
      }
    }
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['UtmTemplateCreate'] } }
      responses: { 201: { content: { 'application/json': components['schemas']['UtmTemplate'] } } }
    }
  }
  '/api/v1/utm-templates/{id}': {
    get: {
      parameters: {
        query?: { lang?: string }
        header?: { 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['UtmTemplate'] } } }
    }
    delete: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 204: { content?: never } }
    }
    patch: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      requestBody: {
        content: {
          'application/merge-patch+json': components['schemas']['UtmTemplatePatch']
          'application/json': components['schemas']['UtmTemplatePatch']
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['UtmTemplate'] } } }
    }
  }
  '/api/v1/tags': {
    get: {
      parameters: {
        query?: {
          lang?: string
          search?: string
          name?: string[]
          sort?: 'name' | 'links'
          limit?: number
          cursor?: string
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['TagList'] } } }
    }
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['TagCreate'] } }
      responses: { 201: { content: { 'application/json': components['schemas']['Tag'] } } }
    }
  }
  '/api/v1/tags/{id}': {
    get: {
      parameters: {
        query?: { lang?: string }
        header?: { 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Tag'] } } }
    }
    delete: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 204: { content?: never } }
    }
    patch: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      requestBody: {
        content: {
          'application/merge-patch+json': components['schemas']['TagPatch']
          'application/json': components['schemas']['TagPatch']
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Tag'] } } }
    }
  }
  '/api/v1/tags/{id}/merge': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['TagMerge'] } }
      responses: { 200: { content: { 'application/json': components['schemas']['Tag'] } } }
    }
  }
  '/api/v1/folders': {
    get: {
      parameters: { query?: { lang?: string; search?: string; limit?: number; cursor?: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['FolderList'] } } }
    }
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['FolderCreate'] } }
      responses: { 201: { content: { 'application/json': components['schemas']['Folder'] } } }
    }
  }
  '/api/v1/folders/{id}': {
    get: {
      parameters: {
        query?: { lang?: string }
        header?: { 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Folder'] } } }
    }
    delete: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false'; move_to?: string }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 204: { content?: never } }
    }
    patch: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      requestBody: {
        content: {
          'application/merge-patch+json': components['schemas']['FolderPatch']
          'application/json': components['schemas']['FolderPatch']
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Folder'] } } }
    }
  }
  '/api/v1/domains': {
    get: {
      parameters: { query?: { lang?: string; limit?: number; cursor?: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['DomainList'] } } }
    }
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['DomainCreate'] } }
      responses: { 201: { content: { 'application/json': components['schemas']['Domain'] } } }
    }
  }
  '/api/v1/domains/{id}': {
    get: {
      parameters: {
        query?: { lang?: string }
        header?: { 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Domain'] } } }
    }
    delete: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 204: { content?: never } }
    }
    patch: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      requestBody: {
        content: {
          'application/merge-patch+json': components['schemas']['DomainPatch']
          'application/json': components['schemas']['DomainPatch']
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Domain'] } } }
    }
  }
  '/api/v1/domains/{id}/verify': {
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Domain'] } } }
    }
  }
  '/api/v1/domains/{id}/setup': {
    get: {
      parameters: { query?: { lang?: string }; path: { id: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['DomainSetup'] } } }
    }
  }
  '/api/v1/domains/{id}/misses': {
    get: {
      parameters: {
        query?: { lang?: string; sort?: 'count' | 'last_at'; limit?: number; cursor?: string }
        path: { id: string }
      }
      responses: {
        200: { content: { 'application/json': components['schemas']['MissedPathList'] } }
      }
    }
  }
  '/api/v1/shares': {
    get: {
      parameters: { query?: { lang?: string; limit?: number; cursor?: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['ShareList'] } } }
    }
    post: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['ShareCreate'] } }
      responses: { 201: { content: { 'application/json': components['schemas']['Share'] } } }
    }
  }
  '/api/v1/shares/{id}': {
    get: {
      parameters: {
        query?: { lang?: string }
        header?: { 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Share'] } } }
    }
    delete: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 204: { content?: never } }
    }
    patch: {
      parameters: {
        query?: { lang?: string; dry_run?: 'true' | 'false' }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      requestBody: {
        content: {
          'application/merge-patch+json': components['schemas']['SharePatch']
          'application/json': components['schemas']['SharePatch']
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Share'] } } }
    }
  }
  '/api/v1/keys': {
    get: {
      parameters: {
        query?: {
          lang?: string
          include_revoked?: 'true' | 'false'
          limit?: number
          cursor?: string
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['ApiKeyList'] } } }
    }
    post: {
      parameters: { query?: { lang?: string } }
      requestBody: { content: { 'application/json': components['schemas']['ApiKeyCreate'] } }
      responses: {
        201: { content: { 'application/json': components['schemas']['CreatedApiKey'] } }
      }
    }
  }
  '/api/v1/keys/{id}': {
    get: {
      parameters: { query?: { lang?: string }; path: { id: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['ApiKey'] } } }
    }
    delete: {
      parameters: {
        query?: { lang?: string }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      responses: { 204: { content?: never } }
    }
    patch: {
      parameters: {
        query?: { lang?: string }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      requestBody: {
        content: {
          'application/merge-patch+json': components['schemas']['ApiKeyPatch']
          'application/json': components['schemas']['ApiKeyPatch']
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['ApiKey'] } } }
    }
  }
  '/api/v1/keys/{id}/rotate': {
    post: {
      parameters: { query?: { lang?: string }; path: { id: string } }
      requestBody?: { content: { 'application/json': components['schemas']['ApiKeyRotate'] } }
      responses: {
        201: { content: { 'application/json': components['schemas']['CreatedApiKey'] } }
      }
    }
  }
  '/api/v1/events': {
    get: {
      parameters: { query?: { lang?: string; after?: string; types?: string; limit?: number } }
      responses: { 200: { content: { 'application/json': components['schemas']['EventList'] } } }
    }
  }
  '/api/v1/events/stream': {
    get: {
      parameters: { query?: { lang?: string; after?: string; types?: string } }
      responses: { 200: { content: { 'text/event-stream': string } } }
    }
  }
  '/api/v1/webhooks': {
    get: {
      parameters: { query?: { lang?: string; limit?: number; cursor?: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['WebhookList'] } } }
    }
    post: {
      parameters: { query?: { lang?: string } }
      requestBody: { content: { 'application/json': components['schemas']['WebhookCreate'] } }
      responses: {
        201: { content: { 'application/json': components['schemas']['CreatedWebhook'] } }
      }
    }
  }
  '/api/v1/webhooks/event-types': {
    get: {
      parameters: { query?: { lang?: string; limit?: number; cursor?: string } }
      responses: {
        200: { content: { 'application/json': components['schemas']['WebhookEventTypeList'] } }
      }
    }
  }
  '/api/v1/webhooks/{id}': {
    get: {
      parameters: {
        query?: { lang?: string }
        header?: { 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Webhook'] } } }
    }
    delete: {
      parameters: {
        query?: { lang?: string }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      responses: { 204: { content?: never } }
    }
    patch: {
      parameters: {
        query?: { lang?: string }
        header?: { 'Idempotency-Key'?: string; 'If-Match'?: string; 'If-None-Match'?: string }
        path: { id: string }
      }
      requestBody: {
        content: {
          'application/merge-patch+json': components['schemas']['WebhookPatch']
          'application/json': components['schemas']['WebhookPatch']
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Webhook'] } } }
    }
  }
  '/api/v1/webhooks/{id}/rotate-secret': {
    post: {
      parameters: { query?: { lang?: string }; path: { id: string } }
      responses: {
        200: { content: { 'application/json': components['schemas']['CreatedWebhook'] } }
      }
    }
  }
  '/api/v1/webhooks/{id}/test': {
    post: {
      parameters: {
        query?: { lang?: string }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      responses: {
        202: { content: { 'application/json': components['schemas']['WebhookDeliveriesMade'] } }
      }
    }
  }
  '/api/v1/webhooks/{id}/deliveries': {
    get: {
      parameters: {
        query?: {
          lang?: string
          status?: 'pending' | 'succeeded' | 'failed'
          limit?: number
          cursor?: string
        }
        path: { id: string }
      }
      responses: {
        200: { content: { 'application/json': components['schemas']['WebhookDeliveryList'] } }
      }
    }
  }
  '/api/v1/webhooks/{id}/deliveries/{delivery_id}/replay': {
    post: {
      parameters: {
        query?: { lang?: string }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string; delivery_id: string }
      }
      responses: {
        202: { content: { 'application/json': components['schemas']['WebhookDelivery'] } }
      }
    }
  }
  '/api/v1/webhooks/{id}/replay': {
    post: {
      parameters: {
        query?: { lang?: string }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      requestBody: { content: { 'application/json': components['schemas']['WebhookReplay'] } }
      responses: { 202: { content: { 'application/json': components['schemas']['Job'] } } }
    }
  }
  '/api/v1/links/{id}/stats': {
    get: {
      parameters: {
        query?: {
          lang?: string
          interval?: 'hour' | 'day' | 'week' | 'month'
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
        }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Stats'] } } }
    }
  }
  '/api/v1/links/{id}/stats/{dimension}': {
    get: {
      parameters: {
        query?: {
          lang?: string
          limit?: number
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
        }
        path: {
          id: string
          dimension:
            | 'country'
            | 'region'
            | 'city'
            | 'language'
            | 'referrer'
            | 'referrer_path'
            | 'device'
            | 'browser'
            | 'os'
            | 'utm_source'
            | 'utm_medium'
            | 'utm_campaign'
            | 'utm_term'
            | 'utm_content'
            | 'rule'
            | 'variant'
            | 'trigger'
            | 'kind'
            | 'hour'
            | 'weekday'
            | 'domain'
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['TopList'] } } }
    }
  }
  '/api/v1/stats': {
    get: {
      parameters: {
        query?: {
          lang?: string
          interval?: 'hour' | 'day' | 'week' | 'month'
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          tag?: string[]
          folder_id?: string
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
          link_id?: string[]
          not_link_id?: string[]
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Stats'] } } }
    }
  }
  '/api/v1/stats/{dimension}': {
    get: {
      parameters: {
        query?: {
          lang?: string
          limit?: number
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          tag?: string[]
          folder_id?: string
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
          link_id?: string[]
          not_link_id?: string[]
        }
        path: {
          dimension:
            | 'country'
            | 'region'
            | 'city'
            | 'language'
            | 'referrer'
            | 'referrer_path'
            | 'device'
            | 'browser'
            | 'os'
            | 'utm_source'
            | 'utm_medium'
            | 'utm_campaign'
            | 'utm_term'
            | 'utm_content'
            | 'rule'
            | 'variant'
            | 'trigger'
            | 'kind'
            | 'hour'
            | 'weekday'
            | 'domain'
            | 'link'
            | 'tag'
            | 'folder'
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['TopList'] } } }
    }
  }
  '/api/v1/links/{id}/clicks': {
    get: {
      parameters: {
        query?: {
          lang?: string
          limit?: number
          cursor?: string
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
        }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['ClickList'] } } }
    }
    delete: {
      parameters: {
        query: { lang?: string; dry_run?: 'true' | 'false'; before: string }
        header?: { 'Idempotency-Key'?: string }
        path: { id: string }
      }
      responses: { 204: { content?: never } }
    }
  }
  '/api/v1/clicks': {
    get: {
      parameters: {
        query?: {
          lang?: string
          limit?: number
          cursor?: string
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          tag?: string[]
          folder_id?: string
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
          link_id?: string[]
          not_link_id?: string[]
        }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['ClickList'] } } }
    }
  }
  '/api/v1/clicks/stream': {
    get: {
      parameters: {
        query?: {
          lang?: string
          last_event_id?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          tag?: string[]
          folder_id?: string
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
          link_id?: string[]
          not_link_id?: string[]
        }
      }
      responses: { 200: { content: { 'text/event-stream': string } } }
    }
  }
  '/api/v1/links/{id}/clicks.csv': {
    get: {
      parameters: {
        query?: {
          lang?: string
          raw?: boolean
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
        }
        path: { id: string }
      }
      responses: { 200: { content: { 'text/csv; charset=utf-8; header=present': string } } }
    }
  }
  '/api/v1/links/{id}/clicks.ndjson': {
    get: {
      parameters: {
        query?: {
          lang?: string
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
        }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/x-ndjson': string } } }
    }
  }
  '/api/v1/links/{id}/clicks.parquet': {
    get: {
      parameters: {
        query?: {
          lang?: string
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
        }
        path: { id: string }
      }
      responses: { 200: { content: { 'application/vnd.apache.parquet': string } } }
    }
  }
  '/api/v1/clicks.csv': {
    get: {
      parameters: {
        query?: {
          lang?: string
          raw?: boolean
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          tag?: string[]
          folder_id?: string
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
          link_id?: string[]
          not_link_id?: string[]
        }
      }
      responses: { 200: { content: { 'text/csv; charset=utf-8; header=present': string } } }
    }
  }
  '/api/v1/clicks.ndjson': {
    get: {
      parameters: {
        query?: {
          lang?: string
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          tag?: string[]
          folder_id?: string
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
          link_id?: string[]
          not_link_id?: string[]
        }
      }
      responses: { 200: { content: { 'application/x-ndjson': string } } }
    }
  }
  '/api/v1/clicks.parquet': {
    get: {
      parameters: {
        query?: {
          lang?: string
          from?: string
          to?: string
          timezone?: string
          bots?: 'exclude' | 'include' | 'only'
          tag?: string[]
          folder_id?: string
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          kind?: string[]
          not_kind?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
          link_id?: string[]
          not_link_id?: string[]
        }
      }
      responses: { 200: { content: { 'application/vnd.apache.parquet': string } } }
    }
  }
  '/shared/{token}/about': {
    get: {
      parameters: { query?: { lang?: string }; path: { token: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['SharedAbout'] } } }
    }
  }
  '/shared/{token}/password': {
    post: {
      parameters: { query?: { lang?: string }; path: { token: string } }
      requestBody: { content: { 'application/json': components['schemas']['SharePassword'] } }
      responses: { 200: { content: { 'application/json': components['schemas']['SharedAccess'] } } }
    }
  }
  '/shared/{token}/stats': {
    get: {
      parameters: {
        query?: {
          lang?: string
          interval?: 'hour' | 'day' | 'week' | 'month'
          from?: string
          to?: string
          timezone?: string
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
        }
        header?: { 'If-None-Match'?: string }
        path: { token: string }
      }
      responses: { 200: { content: { 'application/json': components['schemas']['Stats'] } } }
    }
  }
  '/shared/{token}/stats/{dimension}': {
    get: {
      parameters: {
        query?: {
          lang?: string
          limit?: number
          from?: string
          to?: string
          timezone?: string
          country?: string[]
          not_country?: string[]
          region?: string[]
          not_region?: string[]
          city?: string[]
          not_city?: string[]
          contains_city?: string[]
          language?: string[]
          not_language?: string[]
          referrer?: string[]
          not_referrer?: string[]
          contains_referrer?: string[]
          referrer_path?: string[]
          not_referrer_path?: string[]
          contains_referrer_path?: string[]
          device?: string[]
          not_device?: string[]
          browser?: string[]
          not_browser?: string[]
          contains_browser?: string[]
          os?: string[]
          not_os?: string[]
          contains_os?: string[]
          utm_source?: string[]
          not_utm_source?: string[]
          contains_utm_source?: string[]
          utm_medium?: string[]
          not_utm_medium?: string[]
          contains_utm_medium?: string[]
          utm_campaign?: string[]
          not_utm_campaign?: string[]
          contains_utm_campaign?: string[]
          utm_term?: string[]
          not_utm_term?: string[]
          contains_utm_term?: string[]
          utm_content?: string[]
          not_utm_content?: string[]
          contains_utm_content?: string[]
          rule?: string[]
          not_rule?: string[]
          variant?: string[]
          not_variant?: string[]
          trigger?: string[]
          not_trigger?: string[]
          hour?: string[]
          not_hour?: string[]
          weekday?: string[]
          not_weekday?: string[]
          domain?: string[]
          not_domain?: string[]
        }
        header?: { 'If-None-Match'?: string }
        path: { token: string; dimension: string }
      }
      responses: {
        200: { content: { 'application/json': components['schemas']['SharedTopList'] } }
      }
    }
  }
  '/api/v1': {
    get: {
      parameters: { query?: { lang?: string }; header?: { 'If-None-Match'?: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['ApiIndex'] } } }
    }
  }
  '/api/v1/me': {
    get: {
      parameters: { query?: { lang?: string } }
      responses: { 200: { content: { 'application/json': components['schemas']['Me'] } } }
    }
  }
}
export interface components {
  schemas: {
    PlanList: {
      data: components['schemas']['Plan'][]
      pagination: components['schemas']['Pagination']
    }
    Plan: {
      /** Stable, the same in every language, like `pro`. */
      id: string
      /** In the language of the response. */
      name: string
      /** A sentence in the language of the response. Null: none. */
      description: string | null
      /** What the plan costs. */
      price: components['schemas']['PlanPrice']
      limits: components['schemas']['PlanLimits']
      /** What the plan offers, as stable ids like `custom_slugs`. */
      features: string[]
      /** Whether new workspaces get this plan; true of exactly one. */
      default: boolean
    }
    PlanLimits: {
      /** API requests per minute, of all keys of the workspace together. */
      requests_per_minute: number | null
      /** API requests that are allowed in a burst, after a pause. */
      burst: number | null
      /** Links that exist at a time. */
      links: number | null
      /** Slugs and aliases of these links together. */
      addresses: number | null
      /** API keys that are neither revoked nor expired. */
      api_keys: number | null
      /** People in the workspace. */
      members: number | null
      /** Short domains of the workspace. */
      domains: number | null
      /** Clicks that are counted in a month. */
      clicks_per_month: number | null
      /** Days for which single clicks are kept; of older ones the numbers per day stay. */
      analytics_retention_days: number | null
    }
    Pagination: {
      /** The most items that this page could have. */
      limit: number
      /** Whether a page follows this one. */
      has_more: boolean
      /** The `cursor` of the next page. Null: this is the last. */
      next_cursor: string | null
      /** How many items all pages have together. Absent: this list isn’t counted. */
      total?: number
    }
    LinkList: {
      /** The links of this page, in the requested order. */
      data: components['schemas']['Link'][]
      /** The position of this page in the list. */
      pagination: components['schemas']['LinkListPagination']
    }
    Link: {
      /** `lnk_` and 26 characters; ids sort by the time when links were added. */
      id: string
      /** Where the link leads, byte for byte as it was given. */
      destination_url: string
      /** The short name, as typed; unique on its domain without regard to case. */
      slug: string
      /** Additional slugs of the link; `host/slug` where one is on another domain, or begins with the name of a host. */
      aliases: string[]
      /** The host of the short address. */
      domain: string
      /** The address to share: domain and slug. */
      short_url: string
      /** A name for lists; visitors never see it. Null: none. */
      title: string | null
      /** Notes for yourself; visitors never see them. Null: none. */
      notes: string | null
      /** Sorted, and unique without regard to case. */
      tags: string[]
      /** The folder that the link is in. Null: in none. */
      folder_id: string | null
      /** Whether lists omit it; it still redirects. */
      archived: boolean
      /** The link's id in your own system. Null: none. */
      external_id: string | null
      /** False: switched off by hand; visitors get 410. */
      enabled: boolean
      /** If several apply, the first of blocked, disabled, expired, exhausted and scheduled. Only an active link redirects. Known values: `blocked`, `disabled`, `expired`, `exhausted`, `scheduled`, `active`. More may be added. */
      status: string
      /** Set by the owner of the instance: visitors get 410, also when the block is of the short domain, the destination's host or the workspace. Null: the link is not blocked. A workspace can appeal it with `POST /links/{id}/appeal`. */
      block: components['schemas']['LinkBlock'] | null
      /** The HTTP status that visitors are redirected with. Known values: `301`, `302`, `307`, `308`. More may be added. */
      redirect_status: number
      /** Whether the visitor's query parameters are added to the destination's. */
      forward_query: boolean
      /** `prefix`: everything below `/{slug}/` leads to the link, too. Known values: `exact`, `prefix`. More may be added. */
      match: string
      /** Whether the rest of the visitor's path is appended to the destination's. */
      forward_path: boolean
      /** Until then visitors get 404. Null: redirects immediately. */
      starts_at: string | null
      /** From then on visitors get 410. Null: never expires. */
      expires_at: string | null
      /** After this many clicks by people visitors get 410. Bots and prefetches never count, and are redirected until then; `/{slug}+` hides the destination. Null: no limit. */
      max_clicks: number | null
      /** Where visitors go instead of the 404 or 410, unless the link is blocked. Null: nowhere. */
      fallback_url: string | null
      /** The first rule whose conditions all match decides; none: the link itself. */
      rules: components['schemas']['Rule'][]
      /** Destinations between which visitors without a matching rule are split. */
      variants: components['schemas']['Variant'][]
      /** In responses to writes: probable mistakes. Absent: none. */
      warnings?: components['schemas']['Warning'][]
      /** Whether visitors must enter a password first. */
      has_password: boolean
      /** The preview that services show for the link in a message. Null: they are redirected like people. */
      social: components['schemas']['LinkSocial'] | null
      /** The UTM parameters of `destination_url`; each is null if the URL lacks it. */
      utm: components['schemas']['LinkUtm']
      /** `full`: single clicks are kept; `count`: only totals; `none`: neither. Known values: `full`, `count`, `none`. More may be added. */
      tracking: string
      /** How often the link was clicked, since it was created. */
      clicks: components['schemas']['LinkClicks']
      /** When it was last clicked, in UTC, bots included. Null: never. */
      last_clicked_at: string | null
      /** Who created the link, by the current name; by the id if the person has no name or no longer exists. Null: it was created before Slugline stored this; its history says. */
      created_by: components['schemas']['Actor'] | null
      /** When the link was created, in UTC; of an imported one maybe elsewhere. */
      created_at: string
      /** When it was last changed, in UTC; clicks leave it as it is. */
      updated_at: string
      /** Increases with every change; also in the ETag. */
      version: number
    }
    Rule: {
      /** Its id in statistics. */
      id: string
      /** A name for people. */
      name?: string
      when: components['schemas']['RuleConditions']
      /** Exactly one of these. */
      then: components['schemas']['RuleThen']
    }
    RuleConditions: {
      /** ISO 3166-1 alpha-2 codes of countries. */
      country?: string[]
      /** Matches if `country` with this value doesn’t. */
      not_country?: string[]
      /** ISO 3166-2 codes of regions. */
      region?: string[]
      /** Matches if `region` with this value doesn’t. */
      not_region?: string[]
      /** Language tags (BCP 47): `de` is every German. Compared with the visitor’s preferred language. */
      language?: string[]
      /** Matches if `language` with this value doesn’t. */
      not_language?: string[]
      /** Kinds of devices; `other`: any other. */
      device?: string[]
      /** Matches if `device` with this value doesn’t. */
      not_device?: string[]
      /** Operating systems as in statistics, with a minimum version: `{"name":"iOS","min":"17"}`. */
      os?: components['schemas']['RuleConditionsOs'][]
      /** Matches if `os` with this value doesn’t. */
      not_os?: components['schemas']['RuleConditionsOs'][]
      /** Browsers as in statistics, with a minimum version. */
      browser?: components['schemas']['RuleConditionsBrowser'][]
      /** Matches if `browser` with this value doesn’t. */
      not_browser?: components['schemas']['RuleConditionsBrowser'][]
      /** By parameter, all of which must fit: any of these values, `["*"]` any value, `[]` the parameter is absent. */
      query?: components['schemas']['RuleConditionsQuery']
      /** Matches if `query` with this value doesn’t. */
      not_query?: components['schemas']['RuleConditionsQuery']
      /** Hosts that visitors come from; `*.example.com` is every host below it. */
      referrer_host?: string[]
      /** Matches if `referrer_host` with this value doesn’t. */
      not_referrer_host?: string[]
      /** Networks in CIDR notation. */
      network?: string[]
      /** Matches if `network` with this value doesn’t. */
      not_network?: string[]
      /** Local times of a time zone; all given members must match. */
      time?: components['schemas']['RuleConditionsTime']
      /** Matches if `time` with this value doesn’t. */
      not_time?: components['schemas']['RuleConditionsTime']
      /** Who visits. `AgentKind`, or a list of `AgentKind`. */
      agent?: unknown
      /** Matches if `agent` with this value doesn’t. `AgentKind`, or a list of `AgentKind`. */
      not_agent?: unknown
    }
    NameAndVersion: {
      name: string
      /** The minimum version: `17`, `17.4`. */
      min?: string
    }
    Variant: {
      /** Its id in statistics. */
      id: string
      /** A name for people. */
      name?: string
      /** Where these visitors are sent, byte for byte as it was given. */
      destination_url: string
      /** Its share is this divided by the sum of all. */
      weight: number
    }
    Warning: {
      field: string
      /** Known values: `SHADOWED_RULE`, `EXPIRES_IN_PAST`, `NEGLIGIBLE_WEIGHT`, `INVISIBLE_CHARACTERS`. More may be added. */
      code: string
      message: string
    }
    LinkCreate: {
      /** Where the link leads: an http or https address without user name and password, not on this instance itself. Kept and returned byte for byte. Sent percent-encoded: in that form, too, it has at most 8,192 bytes. In its path, query or fragment `{path}` (of a link that matches a prefix: the path after the slug), `{path.N}` (the N-th segment of that, from 1), `{query.NAME}` (a parameter of the visitor's) and `{slug}` are filled in, percent-encoded, or left out where the visit has none. */
      destination_url: string
      /** The short name: letters of any script, digits, emoji, `-`, `_`, `.` and `~`, in up to 8 segments separated by `/`, none of them `.` or `..`. Kept as typed, unique without regard to case. A new link without one gets a random one. */
      slug?: string | null
      /** Additional slugs of the link; `host/slug` on another domain of the instance: a first segment that is the name of one of its hosts stands for that host. An update replaces the whole list. */
      aliases?: string[] | null
      /** The short domain, one that this instance serves. A new link's default: its own. */
      domain?: string | null
      /** A name for lists; visitors never see it. Null: none. */
      title?: string | null
      /** Notes for yourself, line breaks allowed; visitors never see them. Null: none. */
      notes?: string | null
      /** Words to find links by, unique without regard to case; returned sorted. An update replaces the whole list. */
      tags?: string[] | null
      /** The id of the folder that the link is in. Null: in none. */
      folder_id?: string | null
      /** True: lists omit the link unless it is requested. It still redirects. Default for a new link: false. */
      archived?: boolean | null
      /** The link's id in your own system; unique in the workspace. Null: none. */
      external_id?: string | null
      /** False switches the link off: visitors get 410. Default for a new link: true. */
      enabled?: boolean | null
      /** The HTTP status that visitors are redirected with. Default for a new link: 302. */
      redirect_status?: components['schemas']['LinkRedirectStatus'] | null
      /** Whether the visitor's query parameters are added to the destination's. They are omitted if the address would have more than 8,192 bytes. Default for a new link: false. */
      forward_query?: boolean | null
      /** `prefix`: everything below `/{slug}/` leads to the link, too, unless another link is found there: the exact slug wins, then the longest prefix. Default, also for null: `exact`. */
      match?: components['schemas']['LinkMatch'] | null
      /** Whether the rest of the visitor's path is appended to the destination's, unless that has `{path}`. It is omitted if the address would have more than 8,192 bytes. Default, also for null: false. */
      forward_path?: boolean | null
      /** When the link begins to redirect; before, visitors get 404. Null: immediately. */
      starts_at?: string | null
      /** When the link stops redirecting; then visitors get 410. After `starts_at`. Null: never. */
      expires_at?: string | null
      /** How many people are redirected in total, including earlier ones; then visitors get 410. Bots are not counted. Null: no limit. */
      max_clicks?: number | null
      /** Where visitors go while the link is disabled, scheduled, expired or exhausted. Null: they get a 404 or 410 page. */
      fallback_url?: string | null
      /** What visitors must enter first; never returned, see `has_password`. Null: nothing. */
      password?: string | null
      /** The preview that services show for the link in a message: they get a page with Open Graph and Twitter tags, people are redirected. Null: services see the redirect too. An update changes the members it names. */
      social?: components['schemas']['LinkSocialInput'] | null
      /** Sets parameters in `destination_url`, applied after it if both are given; null removes one, null for all of it removes all five. Nothing else of the destination changes. */
      utm?: components['schemas']['LinkUtmInput'] | null
      /** `count`: clicks are counted and no single one is kept; `none`: they are not counted either. Default for a new link: `full`. */
      tracking?: components['schemas']['LinkTracking'] | null
      /** In order: the first whose conditions all match decides where the visitor is sent, else the link does. An update replaces the whole list. */
      rules?: components['schemas']['RuleInput'][] | null
      /** Splits the visitors without a matching rule between 2 to 20 destinations; none: `destination_url` gets them all. A visitor keeps the same one for the UTC day. */
      variants?: components['schemas']['VariantInput'][] | null
      /** How many random characters a generated slug has after its prefix, more after collisions. Not for `words`. Default, also for null: the setting of the domain. */
      slug_length?: number | null
      /** What generated slugs are made of: `readable`: small letters and digits without those that look alike; `lowercase`: a to z; `digits`: 0 to 9, which are easily guessed if they are few; `words`: two English words and digits. None contains a word that offends, as far as a list knows. Default, also for null: the setting of the domain. */
      slug_style?: components['schemas']['LinkSlugStyle'] | null
      /** What generated slugs begin with, by the rules of slugs; `/` ends a segment. Empty: nothing. Default, also for null: the setting of the domain. */
      slug_prefix?: string | null
    }
    RuleInput: {
      /** Its id in statistics; unique in its list. Absent: derived from its content. */
      id?: string
      name?: string | null
      when: components['schemas']['RuleConditionsInput']
      /** Exactly one of these. */
      then: components['schemas']['RuleThenInput']
    }
    VariantInput: {
      /** Its id in statistics; unique in its list. Absent: derived from its content. */
      id?: string
      name?: string | null
      /** As `destination_url` of a link. */
      destination_url: string
      /** Its share is this divided by the sum of all. */
      weight: number
    }
    DeletedLinkList: {
      data: components['schemas']['DeletedLink'][]
      pagination: components['schemas']['Pagination']
    }
    DeletedLink: {
      /** The id of the link; it keeps it when it is restored. */
      id: string
      /** Its destination. */
      destination_url: string
      /** Its slug, which stays reserved for it. */
      slug: string
      /** The host of its short address. */
      domain: string
      /** Its short address. */
      short_url: string
      /** Null: none. */
      title: string | null
      /** When it was deleted, in UTC. */
      deleted_at: string
      /** Until when it can be restored, in UTC. */
      restorable_until: string
    }
    LinkPatch: {
      /** Where the link leads: an http or https address without user name and password, not on this instance itself. Kept and returned byte for byte. Sent percent-encoded: in that form, too, it has at most 8,192 bytes. In its path, query or fragment `{path}` (of a link that matches a prefix: the path after the slug), `{path.N}` (the N-th segment of that, from 1), `{query.NAME}` (a parameter of the visitor's) and `{slug}` are filled in, percent-encoded, or left out where the visit has none. */
      destination_url?: string
      /** The short name: letters of any script, digits, emoji, `-`, `_`, `.` and `~`, in up to 8 segments separated by `/`, none of them `.` or `..`. Kept as typed, unique without regard to case. A new link without one gets a random one. */
      slug?: string
      /** Additional slugs of the link; `host/slug` on another domain of the instance: a first segment that is the name of one of its hosts stands for that host. An update replaces the whole list. */
      aliases?: string[] | null
      /** The short domain, one that this instance serves. A new link's default: its own. */
      domain?: string | null
      /** A name for lists; visitors never see it. Null: none. */
      title?: string | null
      /** Notes for yourself, line breaks allowed; visitors never see them. Null: none. */
      notes?: string | null
      /** Words to find links by, unique without regard to case; returned sorted. An update replaces the whole list. */
      tags?: string[] | null
      /** The id of the folder that the link is in. Null: in none. */
      folder_id?: string | null
      /** True: lists omit the link unless it is requested. It still redirects. Default for a new link: false. */
      archived?: boolean | null
      /** The link's id in your own system; unique in the workspace. Null: none. */
      external_id?: string | null
      /** False switches the link off: visitors get 410. Default for a new link: true. */
      enabled?: boolean | null
      /** The HTTP status that visitors are redirected with. Default for a new link: 302. */
      redirect_status?: components['schemas']['LinkRedirectStatus'] | null
      /** Whether the visitor's query parameters are added to the destination's. They are omitted if the address would have more than 8,192 bytes. Default for a new link: false. */
      forward_query?: boolean | null
      /** `prefix`: everything below `/{slug}/` leads to the link, too, unless another link is found there: the exact slug wins, then the longest prefix. Default, also for null: `exact`. */
      match?: components['schemas']['LinkMatch'] | null
      /** Whether the rest of the visitor's path is appended to the destination's, unless that has `{path}`. It is omitted if the address would have more than 8,192 bytes. Default, also for null: false. */
      forward_path?: boolean | null
      /** When the link begins to redirect; before, visitors get 404. Null: immediately. */
      starts_at?: string | null
      /** When the link stops redirecting; then visitors get 410. After `starts_at`. Null: never. */
      expires_at?: string | null
      /** How many people are redirected in total, including earlier ones; then visitors get 410. Bots are not counted. Null: no limit. */
      max_clicks?: number | null
      /** Where visitors go while the link is disabled, scheduled, expired or exhausted. Null: they get a 404 or 410 page. */
      fallback_url?: string | null
      /** What visitors must enter first; never returned, see `has_password`. Null: nothing. */
      password?: string | null
      /** The preview that services show for the link in a message: they get a page with Open Graph and Twitter tags, people are redirected. Null: services see the redirect too. An update changes the members it names. */
      social?: components['schemas']['LinkSocialInput'] | null
      /** Sets parameters in `destination_url`, applied after it if both are given; null removes one, null for all of it removes all five. Nothing else of the destination changes. */
      utm?: components['schemas']['LinkUtmInput'] | null
      /** `count`: clicks are counted and no single one is kept; `none`: they are not counted either. Default for a new link: `full`. */
      tracking?: components['schemas']['LinkTracking'] | null
      /** In order: the first whose conditions all match decides where the visitor is sent, else the link does. An update replaces the whole list. */
      rules?: components['schemas']['RuleInput'][] | null
      /** Splits the visitors without a matching rule between 2 to 20 destinations; none: `destination_url` gets them all. A visitor keeps the same one for the UTC day. */
      variants?: components['schemas']['VariantInput'][] | null
      /** Tags that the link gets besides its own, which must not become more than 20. Not together with `tags`. */
      add_tags?: string[] | null
      /** Tags to remove, any case, before `add_tags` are added; others are ignored. Not together with `tags`. */
      remove_tags?: string[] | null
    }
    LinkHistory: {
      data: components['schemas']['LinkHistoryEntry'][]
      pagination: components['schemas']['Pagination']
    }
    LinkHistoryEntry: {
      /** Identifies the entry in its workspace. */
      id: string
      /** When it was changed, in UTC. */
      created_at: string
      actor: components['schemas']['Actor']
      /** What was done. Known values: `link.created`, `link.updated`, `link.deleted`, `link.restored`, `link.blocked`, `link.unblocked`, `link.started`, `link.expired`, `link.exhausted`. More may be added. */
      action: string
      /** The fields that changed: what each was, and what it has been since. Of the password only `has_password`. */
      changes: components['schemas']['LinkHistoryEntryChanges']
      /** The link's version since. 0: unchanged, because time or visits did it. */
      version: number
    }
    Actor: {
      /** A person in the dashboard, a program with an API key, the command line, or Slugline itself. Known values: `user`, `api_key`, `command`, `system`. More may be added. */
      type: string
      /** The user's or key's id. */
      id: string | null
      /** Name of the key at that time, or name of the person; the email address where people ask who may read the audit log. */
      name: string
    }
    LinkRestore: {
      /** The version whose state is to be restored, as a new version. Absent: a deleted link comes back as it was, and any other stays as it is. */
      version?: number
    }
    LinkBulkResult: {
      /** The results of the operations, in order. */
      data: components['schemas']['LinkBulkResultItem'][]
      summary: components['schemas']['LinkBulkResultSummary']
    }
    LinkBulkFault: { field: string; code: string; message: string }
    LinkBulk: {
      /** True: all or none; the first refused operation rolls back all, and the response is BULK_FAILED. False: each independently. */
      atomic?: boolean | null
      /** `return`: a `create` whose link exists, with the same destination, domain and every other given field, returns the newest such link with 200. */
      if_exists?: components['schemas']['LinkBulkIfExists'] | null
      /** What to do, in this order. A link is named by `id` or by `external_id`, for `restore` by `id`. */
      operations: components['schemas']['LinkBulkOperation'][]
    }
    Appeal: {
      /** What the owner of the instance should know. */
      text: string
    }
    JobList: {
      data: components['schemas']['Job'][]
      pagination: components['schemas']['Pagination']
    }
    Job: {
      /** `job_` and 26 characters; ids sort by time. */
      id: string
      /** The kind of job; further kinds may be added. */
      type: string
      /** For an import and its undo: the name of the file, or the host of the service. Null: none. */
      name: string | null
      /** `succeeded`, `failed` and `cancelled` are final. Known values: `queued`, `running`, `succeeded`, `failed`, `cancelled`. More may be added. */
      status: string
      /** The progress. */
      progress: components['schemas']['JobProgress']
      /** What the job has done so far. Which members it has depends on `type`; each says for which jobs it is. Null: nothing yet. */
      result: components['schemas']['JobResult'] | null
      /** Why it failed; what was done before stays done. Null: it has not. */
      error: components['schemas']['JobError'] | null
      actor: components['schemas']['Actor']
      /** When it was requested, in UTC. */
      created_at: string
      /** When it first began, in UTC. Null: it waits. */
      started_at: string | null
      /** When it ended, in UTC. Null: it has not yet. */
      finished_at: string | null
    }
    LinkBulkByFilter: {
      /** Which links: the filters of `GET /links` by their names, in one object. Empty: all. */
      filter: components['schemas']['LinkBulkByFilterFilter']
      patch?: components['schemas']['LinkPatch']
      /** Tags to add to each link. */
      add_tags?: string[]
      /** Tags to remove from each link. */
      remove_tags?: string[]
      /** Deletes the links. */
      delete?: boolean
      /** How many links you expect the filter to match, `pagination.total` of the list. If the number differs by more than 1 %, nothing is changed: COUNT_CHANGED. */
      expected: number
    }
    ImportPreview: {
      /** The detected format. Null: no column looks like a destination. Known values: `slugline`, `csv`, `bitly`, `dub`, `shlink`, `yourls`, `kutt`, `short_io`, `rebrandly`, `sink`, `chhoto`. More may be added. */
      format: string | null
      /** The columns or members of the file. */
      columns: string[]
      /** The column of each field, in the form of `mapping`. */
      mapping: components['schemas']['ImportPreviewMapping']
      /** The first records, as in the file. */
      records: components['schemas']['ImportPreviewRecord'][]
    }
    ImportRemote: {
      /** The service. */
      source: components['schemas']['ImportRemoteSource']
      /** Its address. Default for Dub, Bitly and Short.io: their own. Not in a private network, unless the operator of this instance allows that. */
      base_url?: string
      /** An API key of the service that may read its links; of YOURLS the signature. Kept, encrypted, as long as the job runs. */
      token: string
      domain?: string
      folder_id?: string
      on_conflict?: components['schemas']['ImportRemoteOnConflict']
      if_exists?: 'return'
    }
    ImportRowList: {
      data: components['schemas']['ImportRow'][]
      pagination: components['schemas']['Pagination']
    }
    ImportRow: {
      /** The number of the record, from 1, without the header. */
      row: number
      /** `renamed`: created with another slug, because a link has the one in the file. `skipped`: a link has it, and stays as it is. Known values: `created`, `renamed`, `updated`, `skipped`, `refused`. More may be added. */
      status: string
      /** The slug of the link, or the one in the file. */
      slug: string | null
      /** The destination in the file. */
      destination_url: string | null
      /** The created, changed or conflicting link. Null: none. */
      link_id: string | null
      /** Why it was refused, skipped, renamed, or kept by an undo. */
      reasons: components['schemas']['LinkBulkFault'][]
      /** Probable mistakes in the link. Absent: none. */
      warnings?: components['schemas']['Warning'][]
      /** What happened to it when the import was undone. `kept`: the link was changed since. Null: it was not undone. Known values: `deleted`, `restored`, `kept`. More may be added. */
      undo: string | null
    }
    Explanation: {
      /** `redirect`: the visitor is sent to `location`; `page`: they see a page; `answer`: a rule responds by itself. Known values: `redirect`, `page`, `answer`. More may be added. */
      outcome: string
      status: number
      location: string | null
      link_id: string | null
      rule: string | null
      variant: string | null
      /** In order, up to the deciding step, and those after it. */
      steps: components['schemas']['ExplainStep'][]
    }
    ExplainStep: {
      /** What was checked: `domain`, `slug`, `block`, `enabled`, `starts_at`, `expires_at`, `max_clicks`, `password`, `social`, `rules[0].when.country`, `rules[0]`, `variants`, `destination`, `destination_url`, `path`, `forward_query`, `fallback_url`, `domain_url`, `tracking`, `excluded_networks`, `clicks_per_month`. */
      check: string
      passed: boolean
      expected?: unknown
      actual?: unknown
      /** What was checked and why it had this result, in the language of the request. */
      message: string
    }
    ExplainLink: { visitor?: components['schemas']['DescribedVisitor'] | null }
    DescribedVisitor: {
      /** The time of the visit. Default: now. */
      at?: string | null
      /** Their `User-Agent`. Default: an unspecified browser. */
      user_agent?: string | null
      /** Instead of the country of `ip`. */
      country?: string | null
      /** Instead of the region of `ip`. */
      region?: string | null
      /** Their `Accept-Language`. */
      language?: string | null
      /** Its query: a text, or values by name. A string, or an object. */
      query?: unknown
      /** The path after the slug, of a link that matches a prefix. */
      path?: string | null
      /** The page that they come from. */
      referrer?: string | null
      /** Their address. */
      ip?: string | null
      /** The password that they enter, if the link has one. */
      password?: string | null
    }
    ExplainUrl: {
      /** The complete short link. */
      url: string
      visitor?: components['schemas']['DescribedVisitor'] | null
    }
    Logo: {
      /** A PNG in Base64, re-encoded from the upload. */
      image: string
      /** In pixels, at most 512. */
      width: number
      /** In pixels, at most 512. */
      height: number
      /** When it was uploaded, in UTC. */
      updated_at: string
    }
    LogoUpload: {
      /** A PNG, JPEG or WebP image in Base64, of at most 1 MiB and 4096 pixels a side. Its metadata and anything else in the file are removed. */
      image: string
    }
    UtmTemplateList: {
      data: components['schemas']['UtmTemplate'][]
      pagination: components['schemas']['Pagination']
    }
    UtmTemplate: {
      /** `utm_` and 26 characters. */
      id: string
      /** Unique in the workspace without regard to case. */
      name: string
      /** Null: the template leaves it as it is. */
      source: string | null
      /** Null: the template leaves it as it is. */
      medium: string | null
      /** Null: the template leaves it as it is. */
      campaign: string | null
      /** Null: the template leaves it as it is. */
      term: string | null
      /** Null: the template leaves it as it is. */
      content: string | null
      /** In UTC. */
      created_at: string
      /** In UTC. */
      updated_at: string
      /** Increases with every change; also in the ETag. */
      version: number
    }
    UtmTemplateCreate: {
      name: string
      source?: string | null
      medium?: string | null
      campaign?: string | null
      term?: string | null
      content?: string | null
    }
    UtmTemplatePatch: {
      name?: string
      source?: string | null
      medium?: string | null
      campaign?: string | null
      term?: string | null
      content?: string | null
    }
    TagList: {
      data: components['schemas']['Tag'][]
      pagination: components['schemas']['Pagination']
    }
    Tag: {
      /** `tag_` and 26 characters. */
      id: string
      /** Unique in the workspace without regard to case. */
      name: string
      /** One of a fixed palette, by name. Known values: `red`, `orange`, `yellow`, `green`, `teal`, `blue`, `indigo`, `purple`, `pink`, `grey`. More may be added. */
      color: string
      /** How many links have it, archived ones too. */
      links: number
      /** When it was created, in UTC. */
      created_at: string
      /** When it was last changed, in UTC. */
      updated_at: string
      /** Grows with each change; also in the ETag. */
      version: number
    }
    TagCreate: {
      /** Unique in the workspace without regard to case. */
      name: string
      /** Default: derived from the name. */
      color?: components['schemas']['TagColor'] | null
    }
    TagPatch: {
      /** Unique in the workspace without regard to case. */
      name?: string
      /** Default: derived from the name. */
      color?: components['schemas']['TagColor'] | null
    }
    TagMerge: {
      /** The id of the tag that its links get instead. */
      into: string
    }
    FolderList: {
      data: components['schemas']['Folder'][]
      pagination: components['schemas']['Pagination']
    }
    Folder: {
      /** `fld_` and 26 characters. */
      id: string
      name: string
      /** `workspace`, the default: all members of the workspace see its links. `members`: only the `members`, and owners and admins of the workspace; for others its links don’t exist. API keys see what the person sees to whom they belong; those without a person see all. Known values: `workspace`, `members`. More may be added. */
      access: string
      /** With `access: members`: the ids of users who see its links. */
      members: string[]
      /** How many links are in it, archived ones too. */
      links: number
      /** When it was created, in UTC. */
      created_at: string
      /** When it was last changed, in UTC. */
      updated_at: string
      /** Grows with each change; also in the ETag. */
      version: number
    }
    FolderCreate: {
      /** Two folders may have the same name. */
      name: string
      /** `workspace`, the default: all members of the workspace see its links. `members`: only the `members`, and owners and admins of the workspace; for others its links don’t exist. API keys see what the person sees to whom they belong; those without a person see all. */
      access?: components['schemas']['FolderAccess'] | null
      /** The ids of members of the workspace, with `access: members`. People who aren’t owners or admins can’t remove themselves: they are added again. */
      members?: string[] | null
    }
    FolderPatch: {
      /** Two folders may have the same name. */
      name?: string
      /** `workspace`, the default: all members of the workspace see its links. `members`: only the `members`, and owners and admins of the workspace; for others its links don’t exist. API keys see what the person sees to whom they belong; those without a person see all. */
      access?: components['schemas']['FolderAccess'] | null
      /** The ids of members of the workspace, with `access: members`. People who aren’t owners or admins can’t remove themselves: they are added again. */
      members?: string[] | null
    }
    DomainList: {
      data: components['schemas']['Domain'][]
      pagination: components['schemas']['Pagination']
    }
    Domain: {
      /** `dom_` and 26 characters. */
      id: string
      /** In lower case; IDN in ASCII. */
      host: string
      /** `pending`: not verified, or no longer. `active`: verified, and checked again every six hours. `failing`: the record is missing; links continue to redirect until `verification.served_until`, and none can be added. Known values: `pending`, `active`, `failing`. More may be added. */
      status: string
      /** The DNS record that proves that the host is yours. */
      verification: components['schemas']['DomainVerification']
      /** Where `/` leads. Null: a short page. */
      root_url: string | null
      /** The destination of unknown slugs. Null: a 404 page. */
      not_found_url: string | null
      /** Where expired, exhausted and disabled links without a `fallback_url` redirect. Null: a 410 page. */
      expired_url: string | null
      /** Whether `/Ab` and `/aB` are different links. */
      case_sensitive: boolean
      /** How many random characters generated slugs have, after a prefix. */
      slug_length: number
      /** What generated slugs are made of. Known values: `readable`, `lowercase`, `digits`, `words`. More may be added. */
      slug_style: string
      /** What generated slugs begin with. Null: nothing. */
      slug_prefix: string | null
      /** The branding of public pages. Null: Slugline’s. */
      brand: components['schemas']['DomainBrand'] | null
      /** `all`, `none`, or the text of `/robots.txt`. */
      robots: string
      /** Served at `/.well-known/apple-app-site-association`. Null: nothing is. */
      apple_app_site_association: components['schemas']['DomainAppleAppSiteAssociation'] | null
      /** Served at `/.well-known/assetlinks.json`. Null: nothing is. */
      assetlinks: components['schemas']['DomainAssetlink'][] | null
      /** How many links have an address there. */
      links: number
      created_at: string
      /** When the settings were last changed, in UTC. */
      updated_at: string
      /** The version of the settings; also in the ETag. */
      version: number
    }
    DomainCreate: {
      /** Without scheme and port. */
      host: string
      /** Where `/` leads. */
      root_url?: string | null
      /** The destination of unknown slugs. */
      not_found_url?: string | null
      /** The destination of expired, exhausted and disabled links. */
      expired_url?: string | null
      /** Whether `/Ab` and `/aB` are different links. It can be changed while no two slugs would become one. Default: false. */
      case_sensitive?: boolean | null
      /** How many random characters a generated slug has after its prefix, more after collisions. Not for `words`. Default: 7 characters of `readable`, without a prefix. */
      slug_length?: number | null
      /** What generated slugs are made of: `readable`: small letters and digits without those that look alike; `lowercase`: a to z; `digits`: 0 to 9, which are easily guessed if they are few; `words`: two English words and digits. None contains a word that offends, as far as a list knows. Default: 7 characters of `readable`, without a prefix. */
      slug_style?: components['schemas']['LinkSlugStyle'] | null
      /** What generated slugs begin with, by the rules of slugs; `/` ends a segment. Empty: nothing. Default: 7 characters of `readable`, without a prefix. */
      slug_prefix?: string | null
      /** The branding of public pages. An update changes the members it names; null removes one, or all of it. */
      brand?: components['schemas']['DomainBrandInput'] | null
      /** `all`, `none`, or the text of `/robots.txt`. Default: `all`. */
      robots?: string | null
      /** At most 64 KiB. */
      apple_app_site_association?: components['schemas']['DomainAppleAppSiteAssociation'] | null
      /** At most 64 KiB. */
      assetlinks?: components['schemas']['DomainAssetlink'][] | null
    }
    DomainPatch: {
      /** Where `/` leads. */
      root_url?: string | null
      /** The destination of unknown slugs. */
      not_found_url?: string | null
      /** The destination of expired, exhausted and disabled links. */
      expired_url?: string | null
      /** Whether `/Ab` and `/aB` are different links. It can be changed while no two slugs would become one. Default: false. */
      case_sensitive?: boolean | null
      /** How many random characters a generated slug has after its prefix, more after collisions. Not for `words`. Default: 7 characters of `readable`, without a prefix. */
      slug_length?: number | null
      /** What generated slugs are made of: `readable`: small letters and digits without those that look alike; `lowercase`: a to z; `digits`: 0 to 9, which are easily guessed if they are few; `words`: two English words and digits. None contains a word that offends, as far as a list knows. Default: 7 characters of `readable`, without a prefix. */
      slug_style?: components['schemas']['LinkSlugStyle'] | null
      /** What generated slugs begin with, by the rules of slugs; `/` ends a segment. Empty: nothing. Default: 7 characters of `readable`, without a prefix. */
      slug_prefix?: string | null
      /** The branding of public pages. An update changes the members it names; null removes one, or all of it. */
      brand?: components['schemas']['DomainBrandInput'] | null
      /** `all`, `none`, or the text of `/robots.txt`. Default: `all`. */
      robots?: string | null
      /** At most 64 KiB. */
      apple_app_site_association?: components['schemas']['DomainAppleAppSiteAssociation'] | null
      /** At most 64 KiB. */
      assetlinks?: components['schemas']['DomainAssetlink'][] | null
    }
    DomainSetup: {
      host: string
      /** Whether short links on it work. */
      ready: boolean
      /** The TXT record, as it was last looked up. */
      verification: components['schemas']['DomainSetupVerification']
      /** Where the host leads. */
      dns: components['schemas']['DomainSetupDns']
      /** Its TLS certificate. */
      certificate: components['schemas']['DomainSetupCertificate']
      /** Whether this instance answers there. */
      connection: components['schemas']['DomainSetupConnection']
      checked_at: string
    }
    MissedPathList: {
      data: components['schemas']['MissedPath'][]
      pagination: components['schemas']['Pagination']
    }
    MissedPath: {
      /** As it was first requested, decoded; without its query. */
      path: string
      /** How often it was requested. */
      count: number
      first_at: string
      last_at: string
    }
    ShareList: {
      data: components['schemas']['Share'][]
      pagination: components['schemas']['Pagination']
    }
    Share: {
      /** `shr_` and 26 characters. */
      id: string
      /** Where the statistics can be seen. */
      url: string
      name: string | null
      /** Whose clicks are shared: exactly one of the members. */
      subject: components['schemas']['ShareSubject']
      filters: components['schemas']['ShareFilters']
      show: string[]
      has_password: boolean
      /** In UTC. */
      expires_at: string | null
      /** How often the page was opened. */
      views: number
      /** In UTC. */
      created_at: string
      /** In UTC. */
      updated_at: string
      /** Increases with every change; also in the ETag. */
      version: number
    }
    ShareCreate: {
      /** Whose clicks are shared: exactly one of the members. */
      subject: components['schemas']['ShareSubjectInput']
      /** Only clicks with one of these values: filters of statistics by the names of their parameters, such as `country` or `not_browser`. Viewers can’t remove them. An update changes the filters it names; null removes one, or all of them. */
      filters?: components['schemas']['ShareFiltersInput'] | null
      /** The heading of the page. Null: the page has none of its own. */
      name?: string | null
      /** What is shown besides clicks over time. `links`: the short links, with their titles; `destinations`: where the links lead that are shown. Default: `countries`, `referrers`, `devices`. */
      show?: components['schemas']['ShareShow'][] | null
      /** What viewers must enter first; never returned, see `has_password`. Null: nothing. */
      password?: string | null
      /** When sharing ends; then viewers get 410. Null: never. */
      expires_at?: string | null
    }
    SharePatch: {
      /** The heading of the page. Null: the page has none of its own. */
      name?: string | null
      /** What is shown besides clicks over time. `links`: the short links, with their titles; `destinations`: where the links lead that are shown. Default: `countries`, `referrers`, `devices`. */
      show?: components['schemas']['ShareShow'][] | null
      /** What viewers must enter first; never returned, see `has_password`. Null: nothing. */
      password?: string | null
      /** When sharing ends; then viewers get 410. Null: never. */
      expires_at?: string | null
      /** Only clicks with one of these values: filters of statistics by the names of their parameters, such as `country` or `not_browser`. Viewers can’t remove them. An update changes the filters it names; null removes one, or all of them. */
      filters?: components['schemas']['SharePatchFilters'] | null
    }
    ApiKeyList: {
      data: components['schemas']['ApiKey'][]
      pagination: components['schemas']['Pagination']
    }
    ApiKey: {
      id: string
      name: string
      /** The 8 public characters. */
      prefix: string
      scopes: string[]
      /** Null: none. */
      restrictions: components['schemas']['ApiKeyRestrictions'] | null
      /** `rotating`: replaced, and working until it expires. Known values: `active`, `rotating`, `expired`, `revoked`. More may be added. */
      status: string
      created_at: string
      /** Null: the operator, or a person whose account is deleted. */
      created_by: components['schemas']['ApiKeyCreatedBy'] | null
      /** Null: never. */
      expires_at: string | null
      /** Null: it is not. */
      revoked_at: string | null
      /** When it was last used, to within a minute. Null: never. */
      last_used_at: string | null
      /** The key that this one replaced. */
      rotated_from: string | null
    }
    ApiKeyRestrictions: {
      domains?: string[]
      folders?: string[]
      tags?: string[]
      networks?: string[]
      own_links?: boolean
    }
    CreatedApiKey: {
      id: string
      name: string
      /** The 8 public characters. */
      prefix: string
      scopes: string[]
      /** Null: none. */
      restrictions: components['schemas']['ApiKeyRestrictions'] | null
      /** `rotating`: replaced, and working until it expires. Known values: `active`, `rotating`, `expired`, `revoked`. More may be added. */
      status: string
      created_at: string
      /** Null: the operator, or a person whose account is deleted. */
      created_by: components['schemas']['ApiKeyCreatedBy'] | null
      /** Null: never. */
      expires_at: string | null
      /** Null: it is not. */
      revoked_at: string | null
      /** When it was last used, to within a minute. Null: never. */
      last_used_at: string | null
      /** The key that this one replaced. */
      rotated_from: string | null
      /** The key. It can never be shown again. */
      key: string
    }
    ApiKeyCreate: {
      name: string
      /** Of links:read, links:write, links:create, stats:read, domains:read, domains:write, keys:write, events:read, webhooks:read, webhooks:write. */
      scopes: components['schemas']['ApiKeyScope'][]
      /** What the key is restricted to. Null or absent: nothing. */
      restrictions?: components['schemas']['ApiKeyRestrictionsInput'] | null
      /** Null or absent: never. */
      expires_at?: string | null
    }
    ApiKeyPatch: {
      name?: string
      /** Changed one by one: null ends a restriction, or all of them. */
      restrictions?: components['schemas']['ApiKeyRestrictionsInput'] | null
    }
    ApiKeyRotate: {
      /** How long the old key goes on working; 90 days at most. */
      overlap_seconds?: number
    }
    EventList: {
      /** The events, the oldest first. */
      data: components['schemas']['Event'][]
      /** The position of this page in the feed. */
      pagination: components['schemas']['EventListPagination']
    }
    Event: {
      /** `evt_` and 26 characters; ids of a feed sort by `sequence`. */
      id: string
      /** Counts the workspace's events without a gap, in the order of their commits. A reader who doesn’t see all folders, or asks for some types, gets only some of the numbers. */
      sequence: number
      /** What happened: `link.created`, `link.updated`, `link.deleted`, `link.restored`, `link.started`, `link.expired`, `link.exhausted`, `link.blocked`, `tag.created`, `tag.updated`, `tag.renamed`, `tag.deleted`, `folder.created`, `folder.updated`, `folder.deleted`, `domain.created`, `domain.updated`, `domain.deleted`, `domain.verified`, `domain.failing`, `key.created`, `key.updated`, `key.rotated`, `key.revoked`, `member.added`, `member.updated`, `member.removed`, `import.finished`, `import.undone`, `usage.threshold`, `webhook.disabled`; others may be added. */
      type: string
      /** When it happened, in UTC. */
      at: string
      actor: components['schemas']['Actor']
      /** The object as the API returned it right after the change, or right before its deletion, without figures such as clicks, and never with a secret. */
      object: components['schemas']['EventObject']
      /** The fields that were changed, as they were before. */
      previous: components['schemas']['EventPrevious']
    }
    WebhookList: {
      data: components['schemas']['Webhook'][]
      pagination: components['schemas']['Pagination']
    }
    Webhook: {
      /** `whk_` and 26 characters. */
      id: string
      /** Where requests are sent. */
      url: string
      /** What is sent. */
      types: string[]
      /** Null: none. */
      filter: components['schemas']['WebhookFilter'] | null
      enabled: boolean
      /** `failing`: the last attempt failed. Known values: `ok`, `failing`, `disabled`. More may be added. */
      status: string
      /** Why Slugline disabled it: `gone` (it answered 410), `failing` (five days without a success) or `not_permitted` (who made it may no longer do so). Null: it didn’t. Known values: `gone`, `failing`, `not_permitted`. More may be added. */
      disabled_reason: string | null
      /** When the first attempt since the last success failed. Null: none has. */
      failing_since: string | null
      /** `whpk_` and the ed25519 key (base64) that verifies `v1a` signatures. */
      public_key: string
      /** Who made it, or enabled it last: it gets what they can see. */
      created_by: components['schemas']['Actor']
      /** When it was created, in UTC. */
      created_at: string
      /** When it was last changed, in UTC. */
      updated_at: string
      /** Grows with each change; also in the ETag. */
      version: number
    }
    WebhookFilter: { tags?: string[]; folders?: string[]; domains?: string[] }
    CreatedWebhook: {
      /** `whk_` and 26 characters. */
      id: string
      /** Where requests are sent. */
      url: string
      /** What is sent. */
      types: string[]
      /** Null: none. */
      filter: components['schemas']['WebhookFilter'] | null
      enabled: boolean
      /** `failing`: the last attempt failed. Known values: `ok`, `failing`, `disabled`. More may be added. */
      status: string
      /** Why Slugline disabled it: `gone` (it answered 410), `failing` (five days without a success) or `not_permitted` (who made it may no longer do so). Null: it didn’t. Known values: `gone`, `failing`, `not_permitted`. More may be added. */
      disabled_reason: string | null
      /** When the first attempt since the last success failed. Null: none has. */
      failing_since: string | null
      /** `whpk_` and the ed25519 key (base64) that verifies `v1a` signatures. */
      public_key: string
      /** Who made it, or enabled it last: it gets what they can see. */
      created_by: components['schemas']['Actor']
      /** When it was created, in UTC. */
      created_at: string
      /** When it was last changed, in UTC. */
      updated_at: string
      /** Grows with each change; also in the ETag. */
      version: number
      /** `whsec_` and the key (base64) of `v1` signatures. It can never be shown again. */
      secret: string
    }
    WebhookCreate: {
      url: string
      /** What is sent. Null or absent: every type that there is now, except `clicks.recorded`. */
      types?: components['schemas']['WebhookType'][] | null
      /** Only events of links that currently have one of these tags (by name), are in one of these folders (by id) and on one of these domains (by host), as far as the lists are given. With a filter, events of other objects aren’t sent. */
      filter?: components['schemas']['WebhookFilterInput'] | null
      /** By default true. */
      enabled?: boolean | null
    }
    WebhookEventTypeList: {
      data: components['schemas']['WebhookEventTypeListItem'][]
      pagination: components['schemas']['Pagination']
    }
    WebhookPatch: {
      url?: string
      /** What is sent. Null or absent: every type that there is now, except `clicks.recorded`. */
      types?: components['schemas']['WebhookType'][] | null
      /** Only events of links that currently have one of these tags (by name), are in one of these folders (by id) and on one of these domains (by host), as far as the lists are given. With a filter, events of other objects aren’t sent. */
      filter?: components['schemas']['WebhookFilterInput'] | null
      /** By default true. */
      enabled?: boolean | null
    }
    WebhookDeliveriesMade: { data: components['schemas']['WebhookDelivery'][] }
    WebhookDelivery: {
      /** `dlv_` and 26 characters. */
      id: string
      /** The `webhook-id` of its requests. */
      event_id: string
      type: string
      /** Known values: `pending`, `succeeded`, `failed`. More may be added. */
      status: string
      created_at: string
      /** When the next attempt is due, in UTC. Null: there is none. */
      next_attempt_at: string | null
      /** The latest 20, the oldest first. */
      attempts: components['schemas']['WebhookAttempt'][]
      /** The body of its requests. Null: it isn’t kept, or you may not see it. */
      event: components['schemas']['Event'] | null
    }
    WebhookAttempt: {
      at: string
      /** HTTP status. Null: no response. */
      status: number | null
      duration_ms: number
      /** The first KiB of the body. */
      response: string | null
      /** Why there is no response. Known values: `url_not_allowed`, `dns_failed`, `connection_failed`, `tls_failed`, `timeout`, `not_permitted`. More may be added. */
      error: string | null
    }
    WebhookDeliveryList: {
      data: components['schemas']['WebhookDelivery'][]
      pagination: components['schemas']['Pagination']
    }
    WebhookReplay: {
      /** The id of an event, or a time (RFC 3339) or date (from its midnight UTC): events from then on. Null or absent: from the oldest on that is kept. */
      after?: string | null
    }
    Stats: {
      /** The beginning, in UTC. */
      from: string
      /** The end, in UTC; itself not included. */
      to: string
      /** The length of a bucket. Known values: `hour`, `day`, `week`, `month`. More may be added. */
      interval: string
      /** The time zone that the buckets follow. */
      timezone: string
      /** The whole range. */
      totals: components['schemas']['StatsTotals']
      /** Clicks that these links had before they were imported, whatever the range; in no other number. Null: with filters other than `tag` and `folder_id`, or only bots, because no details of them are known. */
      imported_clicks: number | null
      /** All buckets of the range in order, including empty ones. */
      series: components['schemas']['StatsBucket'][]
    }
    StatsBucket: {
      /** The beginning of the bucket, in UTC: a midnight or whole hour of the time zone. The first one may begin before `from`; it counts no clicks before `from`. */
      start: string
      /** Clicks: of humans, unless `bots` says otherwise. */
      clicks: number
      /** Unique visitors, each counted once per UTC day; visitors who asked not to be tracked are not counted. */
      unique: number
      /** Clicks of bots and link previews that match, whether `clicks` includes them or not. */
      bots: number
    }
    TopList: {
      /** The values with the most clicks first, ties by value. Values without clicks are left out. */
      data: components['schemas']['TopListItem'][]
      /** The sum of all other values. */
      other: components['schemas']['TopListOther']
    }
    ClickList: {
      data: components['schemas']['Click'][]
      pagination: components['schemas']['Pagination']
    }
    Click: {
      /** Unique: two numbers, by which clicks can be sorted. */
      id: string
      /** When it happened, in UTC. */
      clicked_at: string
      /** The id of the link. Null: the link is gone. */
      link_id: string | null
      /** The short domain that was visited. */
      domain: string
      /** A human, a bot, or a link preview. Known values: `human`, `bot`, `preview`. More may be added. */
      kind: string
      /** Why the click is not human: a stable keyword, like `crawler`. Null: it is. */
      reason: string | null
      /** `qr`: a scan of a QR code. Known values: `click`, `qr`. More may be added. */
      trigger: string
      /** ISO 3166-1 code of the country. Null: unknown, or none. */
      country: string | null
      /** ISO 3166-2 code of the region. Null: unknown, or none. */
      region: string | null
      /** Name of the city. Null: unknown, or none. */
      city: string | null
      /** The visitor’s first language. Null: unknown, or none. */
      language: string | null
      /** Host of the page that the visitor came from, without `www.`. Null: unknown, or none. */
      referrer: string | null
      /** Path of the page that the visitor came from. Null: unknown, or none. */
      referrer_path: string | null
      /** Kind of device. Null: unknown, or none. */
      device: string | null
      /** Name of the browser. Null: unknown, or none. */
      browser: string | null
      /** Name of the operating system. Null: unknown, or none. */
      os: string | null
      /** `utm_source` of the visit. Null: unknown, or none. */
      utm_source: string | null
      /** `utm_medium` of the visit. Null: unknown, or none. */
      utm_medium: string | null
      /** `utm_campaign` of the visit. Null: unknown, or none. */
      utm_campaign: string | null
      /** `utm_term` of the visit. Null: unknown, or none. */
      utm_term: string | null
      /** `utm_content` of the visit. Null: unknown, or none. */
      utm_content: string | null
      /** Id of the rule that chose the destination. Null: unknown, or none. */
      rule: string | null
      /** Id of the variant that was chosen. Null: unknown, or none. */
      variant: string | null
    }
    SharedAbout: {
      name: string | null
      /** Known values: `link`, `tag`, `folder`, `workspace`. More may be added. */
      kind: string
      show: string[]
      /** Dimensions whose top values can be requested; all but `tag` and `folder` are also filters. */
      dimensions: string[]
      /** The earliest time that clicks can have. */
      since: string
      /** The link, if the share is of one link and `show` has `links`; else null. */
      link: components['schemas']['SharedAboutLink'] | null
    }
    SharedAccess: {
      /** For `Authorization: Bearer`. */
      access: string
      expires_at: string
    }
    SharePassword: { password: string }
    SharedTopList: {
      data: components['schemas']['SharedTopListItem'][]
      /** The sum of all other values. */
      other: components['schemas']['TopListOther']
    }
    ApiIndex: {
      /** The reference. */
      documentation: string
      /** The OpenAPI document. */
      openapi: string
      /** Every error code, explained. */
      errors: string
      /** The addresses of the collections, by name. */
      resources: components['schemas']['ApiIndexResources']
    }
    Me: {
      key: components['schemas']['MeKey']
      workspace: components['schemas']['MeWorkspace']
      /** What the key may do, sorted. */
      scopes: string[]
      /** Null: the key reaches the whole workspace. */
      restrictions: components['schemas']['ApiKeyRestrictions'] | null
      plan: components['schemas']['MePlan']
    }
    RuleConditionsInput: {
      /** ISO 3166-1 alpha-2 codes of countries. */
      country?: string[]
      /** Matches if `country` with this value doesn’t. */
      not_country?: string[]
      /** ISO 3166-2 codes of regions. */
      region?: string[]
      /** Matches if `region` with this value doesn’t. */
      not_region?: string[]
      /** Language tags (BCP 47): `de` is every German. Compared with the visitor’s preferred language. */
      language?: string[]
      /** Matches if `language` with this value doesn’t. */
      not_language?: string[]
      /** Kinds of devices; `other`: any other. */
      device?: components['schemas']['RuleConditionsDevice'][]
      /** Matches if `device` with this value doesn’t. */
      not_device?: components['schemas']['RuleConditionsDevice'][]
      /** Operating systems as in statistics, with a minimum version: `{"name":"iOS","min":"17"}`. */
      os?: components['schemas']['RuleConditionsOsInput'][]
      /** Matches if `os` with this value doesn’t. */
      not_os?: components['schemas']['RuleConditionsOsInput'][]
      /** Browsers as in statistics, with a minimum version. */
      browser?: components['schemas']['RuleConditionsBrowserInput'][]
      /** Matches if `browser` with this value doesn’t. */
      not_browser?: components['schemas']['RuleConditionsBrowserInput'][]
      /** By parameter, all of which must fit: any of these values, `["*"]` any value, `[]` the parameter is absent. */
      query?: components['schemas']['RuleConditionsQuery']
      /** Matches if `query` with this value doesn’t. */
      not_query?: components['schemas']['RuleConditionsQuery']
      /** Hosts that visitors come from; `*.example.com` is every host below it. */
      referrer_host?: string[]
      /** Matches if `referrer_host` with this value doesn’t. */
      not_referrer_host?: string[]
      /** Networks in CIDR notation. */
      network?: string[]
      /** Matches if `network` with this value doesn’t. */
      not_network?: string[]
      /** Local times of a time zone; all given members must match. */
      time?: components['schemas']['RuleConditionsTimeInput']
      /** Matches if `time` with this value doesn’t. */
      not_time?: components['schemas']['RuleConditionsTimeInput']
      /** Who visits. `AgentKindInput`, or a list of `AgentKindInput`. */
      agent?: unknown
      /** Matches if `agent` with this value doesn’t. `AgentKindInput`, or a list of `AgentKindInput`. */
      not_agent?: unknown
    }
    NameAndVersionInput: {
      name: string
      /** The minimum version: `17`, `17.4`. */
      min?: string
    }
    PlanPrice: {
      /** In minor units of the currency: 1900 is 19.00 EUR. Null: not for sale. */
      amount: number | null
      /** Three letters of ISO 4217, like `EUR`. */
      currency: string
      /** How often the amount is due. Known values: `month`, `year`. More may be added. */
      interval: string
    }
    LinkListPagination: {
      /** The most links that this page could have. */
      limit: number
      /** How many links match, on all pages. */
      total: number
      /** False: at least `total` links match. Only with `total=quick`. */
      total_is_exact?: boolean
      /** Whether a page follows this one. */
      has_more: boolean
      /** The `cursor` of the next page. Null: this is the last. */
      next_cursor: string | null
      /** The `cursor` of the page before. Null: this is the first. */
      prev_cursor: string | null
      /** The number of this page; only if the request has `page`. */
      page?: number
    }
    LinkBlock: {
      /** The reason. Null: the configuration of the instance blocks the host. */
      reason: string | null
      /** Since when, in UTC. Null: the configuration of the instance blocks the host. */
      blocked_at: string | null
    }
    LinkSocial: {
      /** The title of the preview. Null: none. */
      title: string | null
      /** The text below it. Null: none. */
      description: string | null
      /** The address of its picture. Null: none. */
      image_url: string | null
    }
    LinkUtm: {
      source: string | null
      medium: string | null
      campaign: string | null
      term: string | null
      content: string | null
    }
    LinkClicks: {
      /** All clicks: `human` and `bot` together. */
      total: number
      /** Clicks by people. */
      human: number
      /** Clicks by crawlers, link previews and other programs. */
      bot: number
      /** Different people, distinguished within a UTC day and summed over days. */
      unique: number
      /** Clicks from before the import of the link; in no other number. */
      imported: number
    }
    RuleThen: {
      /** Where these visitors are sent. */
      destination_url?: string
      variants?: components['schemas']['Variant'][]
      /** Known values: `fallback`, `not_found`, `gone`. More may be added. */
      answer?: string
    }
    RuleConditionsOs: string | components['schemas']['NameAndVersion']
    RuleConditionsBrowser: string | components['schemas']['NameAndVersion']
    RuleConditionsQuery: { [name: string]: string[] }
    RuleConditionsTime: {
      /** The IANA name of the time zone: `Europe/Berlin`. */
      timezone: string
      /** A timestamp (RFC 3339), or a date of the zone: from its midnight on. */
      from?: string
      /** A timestamp, itself not included, or a date, which is included. */
      until?: string
      days?: string[]
      /** Ranges of times of day, the second time itself not included. If it is earlier than the first, the range continues past midnight and belongs to the day on which it begins. */
      hours?: string[][]
    }
    LinkHistoryEntryChangesValue: { from: unknown; to: unknown }
    LinkHistoryEntryChanges: {
      [name: string]: components['schemas']['LinkHistoryEntryChangesValue']
    }
    LinkBulkResultItemError: {
      code: string
      message: string
      /** Each error with its field, such as `operations[7].link.slug`. */
      details?: components['schemas']['LinkBulkFault'][]
      suggestions?: string[]
    }
    LinkBulkResultItem: {
      /** Which operation this is about, from 0. */
      index: number
      /** The status that the operation alone would get: 200, 201, 204, 404, 409, 422, …. */
      status: number
      /** The current link; absent for deletions. */
      link?: components['schemas']['Link']
      /** Why it was refused. */
      error?: components['schemas']['LinkBulkResultItemError']
    }
    LinkBulkResultSummary: {
      /** How many operations were done. */
      succeeded: number
      /** How many were refused. */
      failed: number
    }
    JobProgress: {
      /** Processed items, including failed ones. */
      done: number
      /** How many items there are. Null: not known yet. */
      total: number | null
      /** Items that were refused. */
      failed: number
    }
    JobResultErrorDetail: { field: string; code: string }
    JobResultError: {
      /** The id of the link. */
      id: string
      /** The code of the error. */
      code: string
      /** The fields that were refused. */
      details: components['schemas']['JobResultErrorDetail'][]
    }
    JobResult: {
      /** Of an import: links that it created. */
      created?: number
      /** Of an import: links that it changed. */
      updated?: number
      /** Of an import: records whose link exists. */
      skipped?: number
      /** Of an import: records that are invalid. */
      refused?: number
      /** Of an import: imported clicks. Absent: none. */
      imported_clicks?: number
      /** Of an import: refused, skipped and unchanged records without a row. Absent: none. */
      rows_omitted?: number
      /** Of a dry run of a file: `POST /imports/{id}/start` can import it until this time at most. */
      kept_until?: string
      /** Of undoing: the import’s job. Of a dry run: the import that was started with its file. */
      import_id?: string
      /** Of undoing a change by filter: the job of that change. */
      job_id?: string
      /** Of undoing: links that the import had created. */
      deleted?: number
      /** Of undoing: links that have their earlier state again. */
      restored?: number
      /** Of undoing: links left alone, because they were changed since. */
      kept?: number
      /** Of a change by filter: links that were changed or deleted. */
      succeeded?: number
      /** Of a change by filter: links that were refused. */
      failed?: number
      /** Of a change by filter: why links were refused. */
      errors?: components['schemas']['JobResultError'][]
    }
    JobError: { code: string; message: string }
    ImportPreviewMapping: { [name: string]: string }
    ImportPreviewRecord: { [name: string]: unknown }
    DomainVerification: {
      /** Known values: `TXT`. More may be added. */
      type: string
      /** The name of the DNS record. */
      name: string
      /** What the record must say. */
      value: string
      /** When it was last looked up. Null: never. */
      checked_at: string | null
      /** The TXT records that were found there, word for word. */
      found: string[]
      /** The error of the DNS look-up, such as `ESERVFAIL`. Null: none. */
      error: string | null
      /** While `failing`: when the host is released. Null otherwise. */
      served_until: string | null
    }
    DomainBrandLogo: boolean | string
    DomainBrand: {
      name: string | null
      /** True: the logo of the workspace. Or an https address. */
      logo: components['schemas']['DomainBrandLogo'] | null
      color: string | null
    }
    DomainAppleAppSiteAssociation: {} & { [name: string]: unknown }
    DomainAssetlink: {} & { [name: string]: unknown }
    DomainSetupVerification: {
      /** `waiting`: an earlier step comes first. `not_needed`: this instance is served without TLS. Known values: `done`, `failed`, `waiting`, `not_needed`. More may be added. */
      status: string
      /** Why it failed: `RECORD_MISSING`. Null: it has not. */
      error: string | null
    }
    DomainSetupDnsExpected: {
      /** Known values: `CNAME`, `A`, `AAAA`. More may be added. */
      type: string
      value: string
    }
    DomainSetupDnsFound: {
      /** Known values: `CNAME`, `A`, `AAAA`. More may be added. */
      type: string
      value: string
    }
    DomainSetupDns: {
      /** `waiting`: an earlier step comes first. `not_needed`: this instance is served without TLS. Known values: `done`, `failed`, `waiting`, `not_needed`. More may be added. */
      status: string
      /** Why it failed: `NO_RECORD`, `ANOTHER_ADDRESS`, or the resolver’s code, such as `ESERVFAIL`. Null: it has not. */
      error: string | null
      /** Records that lead to this instance: a CNAME, or A and AAAA where none is possible. Empty: it doesn’t know its own address. */
      expected: components['schemas']['DomainSetupDnsExpected'][]
      /** The records that were found. */
      found: components['schemas']['DomainSetupDnsFound'][]
    }
    DomainSetupCertificate: {
      /** `waiting`: an earlier step comes first. `not_needed`: this instance is served without TLS. Known values: `done`, `failed`, `waiting`, `not_needed`. More may be added. */
      status: string
      /** Why it failed: `CERTIFICATE_INVALID`: none, expired, for another host, or not trusted. Null: it has not. */
      error: string | null
    }
    DomainSetupConnection: {
      /** `waiting`: an earlier step comes first. `not_needed`: this instance is served without TLS. Known values: `done`, `failed`, `waiting`, `not_needed`. More may be added. */
      status: string
      /** Why it failed: `UNREACHABLE`, or `ANOTHER_SERVER`: another server answers there. Null: it has not. */
      error: string | null
    }
    ShareSubject: {
      /** The id of a link. */
      link_id?: string
      /** The name of a tag, any case. */
      tag?: string
      /** The id of a folder. */
      folder_id?: string
      workspace?: boolean
    }
    ShareFilters: { [name: string]: string[] }
    ApiKeyCreatedBy: {
      /** Known values: `user`. More may be added. */
      type: string
      id: string
      /** Their name; for admins in the dashboard, their email address. */
      name: string | null
    }
    EventListPagination: {
      /** The most events that this page could have. */
      limit: number
      /** Whether there are more events now. A page may be empty all the same. */
      has_more: boolean
      /** The `after` of the next request, also when there are no more events yet. */
      next_cursor: string
    }
    EventObject: { [name: string]: unknown }
    EventPrevious: { [name: string]: unknown }
    WebhookEventTypeListItemSchema: {} & { [name: string]: unknown }
    WebhookEventTypeListItem: {
      type: string
      /** JSON Schema of the body. */
      schema: components['schemas']['WebhookEventTypeListItemSchema']
      sample: components['schemas']['Event']
    }
    StatsTotals: {
      /** Clicks: of humans, unless `bots` says otherwise. */
      clicks: number
      /** Unique visitors, each counted once per UTC day; visitors who asked not to be tracked are not counted. */
      unique: number
      /** Clicks of bots and link previews that match, whether `clicks` includes them or not. */
      bots: number
    }
    TopListItem: {
      /** The value; of links and folders their id, of tags their name, hours `0`–`23`, weekdays `1` (Monday) to `7`. Null: unknown, or none. */
      value: string | null
      /** Of a link: its short address. */
      short_url?: string
      /** Of a folder: its name. Of a rule or variant, in the statistics of its link: its name. Null: it has none, or is gone. */
      name?: string | null
      /** Of a link: its title, for those who may read links. */
      title?: string | null
      /** Clicks: of humans, unless `bots` says otherwise. */
      clicks: number
      /** Unique visitors, each counted once per UTC day; visitors who asked not to be tracked are not counted. */
      unique: number
      /** Clicks of bots and link previews that match, whether `clicks` includes them or not. */
      bots: number
    }
    TopListOther: {
      /** Clicks: of humans, unless `bots` says otherwise. */
      clicks: number
      /** Clicks of bots and link previews that match, whether `clicks` includes them or not. */
      bots: number
    }
    SharedAboutLinkBrand: {
      name: string | null
      /** A `data:` URL. */
      logo: string | null
      color: string | null
    }
    SharedAboutLink: {
      short_url: string
      title: string | null
      /** The branding of its domain’s pages. Null: Slugline’s. */
      brand: components['schemas']['SharedAboutLinkBrand'] | null
      /** Where the link leads; only where `show` has `destinations`. */
      destination_url?: string | null
    }
    SharedTopListItem: {
      /** The value; of links and folders their id, of tags their name, hours `0`–`23`, weekdays `1` (Monday) to `7`. Null: unknown, or none. */
      value: string | null
      /** Of a link: its short address. */
      short_url?: string
      /** Of a folder: its name. Of a rule or variant, in the statistics of its link: its name. Null: it has none, or is gone. */
      name?: string | null
      /** Of a link: its title, for those who may read links. */
      title?: string | null
      /** Clicks: of humans, unless `bots` says otherwise. */
      clicks: number
      /** Unique visitors, each counted once per UTC day; visitors who asked not to be tracked are not counted. */
      unique: number
      /** Clicks of bots and link previews that match, whether `clicks` includes them or not. */
      bots: number
      /** Where the link leads; only where `show` has `destinations`. */
      destination_url?: string | null
    }
    ApiIndexResources: { [name: string]: string }
    MeKey: {
      id: string
      /** Null: it has none. */
      name: string | null
    }
    MeWorkspace: {
      id: string
      /** The language of messages by default. Null: English. */
      language: string | null
    }
    MePlan: { id: string; limits: components['schemas']['PlanLimits'] }
    LinkRedirectStatus: 301 | 302 | 307 | 308
    LinkMatch: 'exact' | 'prefix'
    LinkSocialInput: {
      /** The title of the preview. */
      title?: string | null
      /** The text below it. */
      description?: string | null
      /** The address of its picture, http or https. */
      image_url?: string | null
    }
    LinkUtmInput: {
      source?: string | null
      medium?: string | null
      campaign?: string | null
      term?: string | null
      content?: string | null
    }
    LinkTracking: 'full' | 'count' | 'none'
    LinkSlugStyle: 'readable' | 'lowercase' | 'digits' | 'words'
    RuleThenAnswer: 'fallback' | 'not_found' | 'gone'
    RuleThenInput: {
      /** As `destination_url` of a link. */
      destination_url?: string
      variants?: components['schemas']['VariantInput'][]
      /** `fallback`: to the `fallback_url`, else 404; `not_found`: the 404 page; `gone`: the 410 page. None of them counts as a click. */
      answer?: components['schemas']['RuleThenAnswer']
    }
    LinkBulkIfExists: 'return'
    LinkBulkOperationCreate: { op: 'create'; link: components['schemas']['LinkCreate'] }
    LinkBulkOperationUpdateIfMatch: string | number
    LinkBulkOperationUpdate: {
      op: 'update'
      /** The id of the link. */
      id?: string
      /** The id of the link in your own system. */
      external_id?: string
      /** The version that the link must still have, or its ETag. */
      if_match?: components['schemas']['LinkBulkOperationUpdateIfMatch']
      link: components['schemas']['LinkPatch']
    }
    LinkBulkOperationDeleteIfMatch: string | number
    LinkBulkOperationDelete: {
      op: 'delete'
      /** The id of the link. */
      id?: string
      /** The id of the link in your own system. */
      external_id?: string
      /** The version that the link must still have, or its ETag. */
      if_match?: components['schemas']['LinkBulkOperationDeleteIfMatch']
    }
    LinkBulkOperationRestoreIfMatch: string | number
    LinkBulkOperationRestore: {
      op: 'restore'
      /** The id of the link. */
      id: string
      /** The version whose state is to be restored, at most 20 back. Absent: a deleted link comes back as it was. */
      version?: number
      /** The version that the link must still have, or its ETag. */
      if_match?: components['schemas']['LinkBulkOperationRestoreIfMatch']
    }
    LinkBulkOperationUpsert: {
      op: 'upsert'
      /** The id of the link in your own system. */
      external_id: string
      link: components['schemas']['LinkCreate']
    }
    LinkBulkOperation:
      | components['schemas']['LinkBulkOperationCreate']
      | components['schemas']['LinkBulkOperationUpdate']
      | components['schemas']['LinkBulkOperationDelete']
      | components['schemas']['LinkBulkOperationRestore']
      | components['schemas']['LinkBulkOperationUpsert']
    LinkBulkByFilterFilter: Record<string, unknown>
    ImportRemoteSource: 'shlink' | 'kutt' | 'yourls' | 'dub' | 'bitly' | 'short_io'
    ImportRemoteOnConflict: 'skip' | 'update' | 'rename' | 'fail'
    TagColor:
      | 'red'
      | 'orange'
      | 'yellow'
      | 'green'
      | 'teal'
      | 'blue'
      | 'indigo'
      | 'purple'
      | 'pink'
      | 'grey'
    FolderAccess: 'workspace' | 'members'
    DomainBrandLogoInput: boolean | string
    DomainBrandInput: {
      name?: string | null
      /** True: the logo of the workspace. Or an https address. Also the favicon. */
      logo?: components['schemas']['DomainBrandLogoInput'] | null
      /** The color of buttons. */
      color?: string | null
    }
    ShareSubjectInput: {
      /** The id of a link. */
      link_id?: string
      /** The name of a tag, any case. */
      tag?: string
      /** The id of a folder. */
      folder_id?: string
      workspace?: boolean
    }
    ShareFiltersInput: { [name: string]: string[] }
    ShareShow:
      | 'countries'
      | 'regions'
      | 'cities'
      | 'languages'
      | 'referrers'
      | 'devices'
      | 'utm'
      | 'scans'
      | 'times'
      | 'variants'
      | 'domains'
      | 'links'
      | 'tags'
      | 'folders'
      | 'destinations'
    SharePatchFilters: { [name: string]: string[] | null }
    ApiKeyScope:
      | 'links:read'
      | 'links:write'
      | 'links:create'
      | 'stats:read'
      | 'domains:read'
      | 'domains:write'
      | 'keys:write'
      | 'events:read'
      | 'webhooks:read'
      | 'webhooks:write'
    ApiKeyRestrictionsInput: {
      /** Only links on one of these short domains. */
      domains?: string[] | null
      /** Only links in one of these folders. */
      folders?: string[] | null
      /** Only links with one of these tags, by name. */
      tags?: string[] | null
      /** The key works only from these addresses, and networks in CIDR notation (RFC 4632). */
      networks?: string[] | null
      /** True: only links that this key made, or the keys that it was rotated from. */
      own_links?: boolean | null
    }
    WebhookType:
      | 'link.created'
      | 'link.updated'
      | 'link.deleted'
      | 'link.restored'
      | 'link.started'
      | 'link.expired'
      | 'link.exhausted'
      | 'link.blocked'
      | 'tag.created'
      | 'tag.updated'
      | 'tag.renamed'
      | 'tag.deleted'
      | 'folder.created'
      | 'folder.updated'
      | 'folder.deleted'
      | 'domain.created'
      | 'domain.updated'
      | 'domain.deleted'
      | 'domain.verified'
      | 'domain.failing'
      | 'key.created'
      | 'key.updated'
      | 'key.rotated'
      | 'key.revoked'
      | 'member.added'
      | 'member.updated'
      | 'member.removed'
      | 'import.finished'
      | 'import.undone'
      | 'usage.threshold'
      | 'webhook.disabled'
      | 'clicks.recorded'
    WebhookFilterInput: {
      /** Only links on one of these short domains. */
      domains?: string[] | null
      /** Only links in one of these folders. */
      folders?: string[] | null
      /** Only links with one of these tags, by name. */
      tags?: string[] | null
    }
    RuleConditionsDevice: 'mobile' | 'tablet' | 'desktop' | 'tv' | 'other'
    RuleConditionsOsInput: string | components['schemas']['NameAndVersionInput']
    RuleConditionsBrowserInput: string | components['schemas']['NameAndVersionInput']
    RuleConditionsTimeDay: 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'
    RuleConditionsTimeInput: {
      /** The IANA name of the time zone: `Europe/Berlin`. */
      timezone: string
      /** A timestamp (RFC 3339), or a date of the zone: from its midnight on. */
      from?: string
      /** A timestamp, itself not included, or a date, which is included. */
      until?: string
      days?: components['schemas']['RuleConditionsTimeDay'][]
      /** Ranges of times of day, the second time itself not included. If it is earlier than the first, the range continues past midnight and belongs to the day on which it begins. */
      hours?: string[][]
    }
  }
}
