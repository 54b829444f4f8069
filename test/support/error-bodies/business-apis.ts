import type { ErrorSample } from './sample.ts';

/** APIs of payments, shops, customers, messages and files. */
export const businessApis: readonly ErrorSample[] = [
  {
    api: 'Stripe',
    status: 402,
    body: {
      error: {
        code: 'card_declined',
        decline_code: 'insufficient_funds',
        doc_url: 'https://docs.example',
        message: 'Your card has insufficient funds.',
        param: '',
        type: 'card_error',
      },
    },
    says: ['card_declined', 'insufficient_funds', 'Your card has insufficient funds', 'card_error'],
  },
  {
    api: 'Stripe',
    status: 400,
    body: {
      error: {
        code: 'parameter_missing',
        message: 'Missing required param: line_items[0][price].',
        param: 'line_items[0][price]',
        request_log_url: 'https://dash.example/logs',
        type: 'invalid_request_error',
      },
    },
    says: ['parameter_missing', 'line_items[0][price]', 'Missing required param'],
  },
  {
    api: 'PayPal',
    status: 422,
    body: {
      name: 'UNPROCESSABLE_ENTITY',
      details: [
        {
          field: "/purchase_units/@reference_id=='x'/amount/value",
          value: '10.001',
          location: 'body',
          issue: 'DECIMAL_PRECISION',
          description: 'If the currency supports decimals, only two decimal place precision is supported.',
        },
      ],
      message: 'The requested action could not be performed.',
      debug_id: 'b1',
      links: [{ href: 'https://docs.example', rel: 'information_link', method: 'GET' }],
    },
    says: ['UNPROCESSABLE_ENTITY', '/amount/value', 'DECIMAL_PRECISION', 'two decimal place', '10.001'],
  },
  {
    api: 'Square',
    status: 400,
    body: {
      errors: [
        {
          category: 'INVALID_REQUEST_ERROR',
          code: 'MISSING_REQUIRED_PARAMETER',
          detail: 'Missing required parameter.',
          field: 'idempotency_key',
        },
      ],
    },
    says: ['idempotency_key', 'MISSING_REQUIRED_PARAMETER', 'Missing required parameter'],
  },
  {
    api: 'Adyen',
    status: 422,
    body: {
      status: 422,
      errorCode: '14_006',
      message: "Required field 'paymentMethod' is not provided.",
      errorType: 'validation',
      pspReference: 'X1',
    },
    says: ['14_006', 'paymentMethod', 'validation'],
  },
  {
    api: 'Adyen Management',
    status: 422,
    type: 'application/problem+json',
    body: {
      type: 'https://docs.example/errors/invalid-fields',
      title: 'Invalid fields',
      status: 422,
      detail: 'Some fields are not valid',
      requestId: 'r',
      invalidFields: [{ name: 'storeId', value: 'x', message: 'Must be a known store' }],
      errorCode: '00_422',
    },
    says: ['storeId', 'Must be a known store', '00_422', 'Some fields are not valid'],
  },
  {
    api: 'Plaid',
    status: 400,
    body: {
      display_message: null,
      documentation_url: 'https://docs.example',
      error_code: 'MISSING_FIELDS',
      error_message: 'the following required fields are missing: start_date',
      error_type: 'INVALID_REQUEST',
      request_id: 'r',
      suggested_action: null,
    },
    says: ['MISSING_FIELDS', 'start_date', 'INVALID_REQUEST'],
  },
  {
    api: 'Coinbase',
    status: 400,
    body: { errors: [{ id: 'param_required', message: 'Missing parameter currency' }] },
    says: ['param_required', 'Missing parameter currency'],
  },
  {
    api: 'Wise',
    status: 422,
    body: {
      errors: [
        {
          code: 'NOT_VALID',
          message: 'Please enter a valid IBAN.',
          path: 'details.iban',
          arguments: ['iban'],
        },
      ],
    },
    says: ['details.iban', 'valid IBAN', 'NOT_VALID'],
  },
  {
    api: 'Mollie',
    status: 422,
    type: 'application/hal+json',
    body: {
      status: 422,
      title: 'Unprocessable Entity',
      detail: 'The amount is higher than the maximum',
      field: 'amount',
      _links: { documentation: { href: 'https://docs.example', type: 'text/html' } },
    },
    says: ['amount', 'higher than the maximum'],
  },
  {
    api: 'Braintree',
    status: 422,
    type: 'application/xml',
    body: '<?xml version="1.0" encoding="UTF-8"?><api-error-response><errors><errors type="array"/><transaction><errors type="array"><error><code>81502</code><attribute type="symbol">amount</attribute><message>Amount is required.</message></error></errors></transaction></errors><message>Amount is required.</message></api-error-response>',
    says: ['81502', 'amount', 'Amount is required'],
  },
  {
    api: 'GoCardless',
    status: 422,
    body: {
      error: {
        message: 'Validation failed',
        errors: [
          {
            field: 'branch_code',
            message: 'must be a number',
            request_pointer: '/customer_bank_accounts/branch_code',
          },
        ],
        documentation_url: 'https://docs.example',
        type: 'validation_failed',
        request_id: 'r',
        code: 422,
      },
    },
    says: ['branch_code', 'must be a number', 'validation_failed'],
  },
  {
    api: 'Xero',
    status: 400,
    body: {
      ErrorNumber: 10,
      Type: 'ValidationException',
      Message: 'A validation exception occurred',
      Elements: [
        {
          ValidationErrors: [
            { Message: 'Email address must be valid.' },
            { Message: 'The TaxType code does not exist' },
          ],
          Name: 'ABC',
        },
      ],
    },
    says: ['10', 'ValidationException', 'Email address must be valid', 'The TaxType code does not exist'],
  },
  {
    api: 'QuickBooks',
    status: 400,
    body: {
      Fault: {
        Error: [
          {
            Message: 'Required param missing, need to supply the required value for the API',
            Detail: 'Required parameter Line is missing in the request',
            code: '2020',
            element: 'Line',
          },
        ],
        type: 'ValidationFault',
      },
      time: '2026-01-01',
    },
    says: ['Line', 'is missing in the request', '2020', 'ValidationFault'],
  },
  {
    api: 'QuickBooks',
    status: 400,
    type: 'application/xml',
    body: '<?xml version="1.0"?><IntuitResponse time="2026-01-01" xmlns="http://schema.example"><Fault type="ValidationFault"><Error code="610" element="CustomerRef"><Message>Object Not Found</Message><Detail>Another user has deleted this object</Detail></Error></Fault></IntuitResponse>',
    says: ['610', 'CustomerRef', 'Object Not Found', 'has deleted this object', 'ValidationFault'],
  },
  {
    api: 'Salesforce',
    status: 400,
    body: [
      {
        message: 'Required fields are missing: [Company, LastName]',
        errorCode: 'REQUIRED_FIELD_MISSING',
        fields: ['Company', 'LastName'],
      },
    ],
    says: ['REQUIRED_FIELD_MISSING', 'Company, LastName', 'Required fields are missing'],
  },
  {
    api: 'Salesforce',
    status: 400,
    body: { error: 'invalid_grant', error_description: 'expired access/refresh token' },
    says: ['invalid_grant', 'expired access/refresh token'],
  },
  {
    api: 'HubSpot',
    status: 400,
    body: {
      status: 'error',
      message: 'Invalid input JSON on line 1',
      correlationId: 'c',
      category: 'VALIDATION_ERROR',
      errors: [
        {
          message: 'Property "fistname" does not exist',
          code: 'PROPERTY_DOESNT_EXIST',
          context: { propertyName: ['fistname'] },
        },
      ],
    },
    says: ['fistname', 'does not exist', 'PROPERTY_DOESNT_EXIST', 'VALIDATION_ERROR'],
  },
  {
    api: 'HubSpot',
    status: 400,
    body: {
      status: 'error',
      message:
        'Property values were not valid: [{"isValid":false,"message":"Email address nope is invalid","error":"INVALID_EMAIL","name":"email"}]',
      correlationId: 'c',
      category: 'VALIDATION_ERROR',
    },
    says: ['INVALID_EMAIL', 'Email address nope is invalid', '"name":"email"'],
  },
  {
    api: 'Zendesk',
    status: 422,
    body: {
      error: 'RecordInvalid',
      description: 'Record validation errors',
      details: { subject: [{ description: 'Subject: cannot be blank', error: 'BlankValue' }] },
    },
    says: ['RecordInvalid', 'subject', 'cannot be blank', 'BlankValue'],
  },
  {
    api: 'Intercom',
    status: 422,
    body: {
      type: 'error.list',
      request_id: 'r',
      errors: [{ code: 'parameter_invalid', message: 'email is invalid', field: 'email' }],
    },
    says: ['parameter_invalid', 'email is invalid', 'email'],
  },
  {
    api: 'Freshdesk',
    status: 400,
    body: {
      description: 'Validation failed',
      errors: [
        { field: 'priority', message: "It should be one of these values: '1,2,3,4'", code: 'invalid_value' },
      ],
    },
    says: ['priority', "one of these values: '1,2,3,4'", 'invalid_value', 'Validation failed'],
  },
  {
    api: 'Shopify',
    status: 422,
    body: {
      errors: {
        title: ["can't be blank"],
        'variants.price': ['must be greater than 0'],
        base: ['Line items are invalid'],
      },
    },
    says: ['title', "can't be blank", 'variants.price', 'must be greater than 0', 'Line items are invalid'],
  },
  { api: 'Shopify', status: 404, body: { errors: 'Not Found' }, says: ['Not Found'] },
  {
    api: 'Shopify GraphQL',
    status: 400,
    body: {
      data: {
        productCreate: {
          product: null,
          userErrors: [{ field: ['input', 'title'], message: "Title can't be blank", code: 'BLANK' }],
        },
      },
    },
    says: ['input.title', "Title can't be blank", 'BLANK'],
  },
  {
    api: 'WooCommerce',
    status: 400,
    body: {
      code: 'rest_invalid_param',
      message: 'Invalid parameter(s): status',
      data: {
        status: 400,
        params: { status: 'status is not one of draft, pending, publish.' },
        details: {
          status: {
            code: 'rest_not_in_enum',
            message: 'status is not one of draft, pending, publish.',
            data: null,
          },
        },
      },
    },
    says: ['rest_invalid_param', 'status', 'is not one of draft, pending, publish', 'rest_not_in_enum'],
  },
  {
    api: 'Magento',
    status: 400,
    body: {
      message: '"%fieldName" is required. Enter and try again.',
      parameters: { fieldName: 'customer_email' },
    },
    says: ['is required', 'customer_email'],
  },
  {
    api: 'BigCommerce',
    status: 422,
    type: 'application/problem+json',
    body: {
      status: 422,
      title: 'JSON data is missing or invalid',
      type: 'https://docs.example',
      errors: { 'variants.0.sku': 'error.expected.string', name: 'error.path.missing' },
    },
    says: [
      'variants.0.sku',
      'error.expected.string',
      'name',
      'error.path.missing',
      'JSON data is missing or invalid',
    ],
  },
  {
    api: 'eBay',
    status: 400,
    body: {
      errors: [
        {
          errorId: 25002,
          domain: 'API_INVENTORY',
          category: 'REQUEST',
          message: 'A user error has occurred.',
          longMessage: 'SKU is not valid',
          parameters: [{ name: 'sku', value: 'A B' }],
        },
      ],
    },
    says: ['25002', 'SKU is not valid', 'sku', 'A B', 'API_INVENTORY'],
  },
  {
    api: 'Amazon Selling Partner',
    status: 400,
    body: {
      errors: [
        {
          code: 'InvalidInput',
          message: 'Invalid Input',
          details: 'CreatedAfter or LastUpdatedAfter must be specified',
        },
      ],
    },
    says: ['InvalidInput', 'CreatedAfter or LastUpdatedAfter must be specified'],
  },
  {
    api: 'FedEx',
    status: 400,
    body: {
      transactionId: 't',
      errors: [
        {
          code: 'SHIPPER.POSTALCODE.INVALID',
          message: 'Postal code is not valid.',
          parameterList: [{ key: 'postalCode', value: '00' }],
        },
      ],
    },
    says: ['SHIPPER.POSTALCODE.INVALID', 'Postal code is not valid', 'postalCode', '00'],
  },
  {
    api: 'UPS',
    status: 400,
    body: { response: { errors: [{ code: '120100', message: 'Missing or invalid shipper number' }] } },
    says: ['120100', 'Missing or invalid shipper number'],
  },
  {
    api: 'Twilio',
    status: 400,
    body: {
      code: 21211,
      message: "The 'To' number +1555 is not a valid phone number.",
      more_info: 'https://docs.example/21211',
      status: 400,
    },
    says: ['21211', "'To' number", 'not a valid phone number'],
  },
  {
    api: 'SendGrid',
    status: 400,
    body: {
      errors: [
        {
          message: 'The from email does not contain a valid address.',
          field: 'from.email',
          help: 'https://docs.example',
        },
      ],
    },
    says: ['from.email', 'does not contain a valid address'],
  },
  {
    api: 'Mailchimp',
    status: 400,
    type: 'application/problem+json',
    body: {
      type: 'https://docs.example',
      title: 'Invalid Resource',
      status: 400,
      detail:
        "The resource submitted could not be validated. For field-specific details, see the 'errors' array.",
      instance: 'i',
      errors: [{ field: 'email_address', message: 'This value should not be blank.' }],
    },
    says: ['email_address', 'should not be blank', 'Invalid Resource'],
  },
  {
    api: 'Mailgun',
    status: 400,
    body: { message: "'from' parameter is not a valid address. please check documentation" },
    says: ["'from' parameter is not a valid address"],
  },
  {
    api: 'Postmark',
    status: 422,
    body: { ErrorCode: 300, Message: "Invalid 'To' address: 'x'." },
    says: ['300', "Invalid 'To' address"],
  },
  {
    api: 'Slack',
    status: 400,
    body: {
      ok: false,
      error: 'invalid_arguments',
      response_metadata: { messages: ['[ERROR] missing required field: channel'] },
    },
    says: ['invalid_arguments', 'missing required field: channel'],
  },
  {
    api: 'Slack',
    status: 403,
    body: { ok: false, error: 'missing_scope', needed: 'chat:write', provided: 'users:read' },
    says: ['missing_scope', 'chat:write', 'users:read'],
  },
  {
    api: 'Discord',
    status: 400,
    body: {
      code: 50035,
      errors: {
        activities: {
          0: {
            platform: {
              _errors: [
                { code: 'BASE_TYPE_CHOICES', message: "Value must be one of ('desktop', 'android', 'ios')." },
              ],
            },
          },
        },
      },
      message: 'Invalid Form Body',
    },
    says: [
      '50035',
      'activities[0].platform',
      'BASE_TYPE_CHOICES',
      'Value must be one of',
      'Invalid Form Body',
    ],
  },
  {
    api: 'Telegram',
    status: 400,
    body: { ok: false, error_code: 400, description: 'Bad Request: message text is empty' },
    says: ['message text is empty'],
  },
  {
    api: 'WhatsApp Cloud',
    status: 400,
    body: {
      error: {
        message: '(#131008) Required parameter is missing',
        type: 'OAuthException',
        code: 131008,
        error_data: { messaging_product: 'whatsapp', details: "Parameter 'to' is mandatory" },
        error_subcode: 2494073,
        fbtrace_id: 'f',
      },
    },
    says: ['131008', 'Required parameter is missing', "Parameter 'to' is mandatory", '2494073'],
  },
  {
    api: 'Facebook Graph',
    status: 400,
    body: {
      error: {
        message: '(#100) Missing page id',
        type: 'GraphMethodException',
        code: 100,
        error_subcode: 33,
        error_user_title: 'No page',
        error_user_msg: 'Choose a page first',
        fbtrace_id: 'f',
      },
    },
    says: ['100', 'Missing page id', 'GraphMethodException', '33', 'Choose a page first'],
  },
  {
    api: 'X',
    status: 400,
    type: 'application/problem+json',
    body: {
      errors: [
        {
          parameters: { 'tweet.fields': ['tex'] },
          message: 'The `tweet.fields` query parameter value [tex] is not one of [text,id]',
        },
      ],
      title: 'Invalid Request',
      detail: 'One or more parameters to your request was invalid.',
      type: 'https://api.example/2/problems/invalid-request',
    },
    says: ['tweet.fields', 'is not one of [text,id]', 'Invalid Request', 'problems/invalid-request'],
  },
  {
    api: 'LinkedIn',
    status: 422,
    body: {
      message: 'ERROR :: /author :: "x" is not a person',
      status: 422,
      serviceErrorCode: 100,
      code: 'MALFORMED',
      errorDetails: {
        inputErrors: [
          {
            description: 'not a person',
            input: { inputPath: { fieldPath: 'author' } },
            code: 'INVALID_VALUE',
          },
        ],
      },
    },
    says: ['author', 'not a person', 'INVALID_VALUE', 'MALFORMED'],
  },
  {
    api: 'Zoom',
    status: 400,
    body: {
      code: 300,
      message: 'Validation Failed.',
      errors: [{ field: 'user_info.email', message: 'Invalid field.' }],
    },
    says: ['300', 'user_info.email', 'Invalid field'],
  },
  {
    api: 'Notion',
    status: 400,
    body: {
      object: 'error',
      status: 400,
      code: 'validation_error',
      message: 'body failed validation: body.parent.page_id should be defined, instead was `undefined`.',
      request_id: 'r',
    },
    says: ['validation_error', 'body.parent.page_id should be defined'],
  },
  {
    api: 'Airtable',
    status: 422,
    body: { error: { type: 'UNKNOWN_FIELD_NAME', message: 'Unknown field name: "Naem"' } },
    says: ['UNKNOWN_FIELD_NAME', 'Naem'],
  },
  {
    api: 'Asana',
    status: 400,
    body: {
      errors: [
        {
          message: 'project: Missing input',
          help: 'For more information',
          phrase: '6 sad squid snuggle softly',
        },
      ],
    },
    says: ['project: Missing input'],
  },
  {
    api: 'Trello',
    status: 400,
    type: 'text/plain; charset=utf-8',
    body: 'invalid value for idList',
    says: ['invalid value for idList'],
  },
  {
    api: 'monday.com',
    status: 400,
    body: {
      error_message: 'Unable to parse column value',
      error_code: 'ColumnValueException',
      error_data: { column_value: '{"label":"x"}', column_type: 'color', error_column_id: 'status' },
      account_id: 1,
      status_code: 400,
    },
    says: ['ColumnValueException', 'Unable to parse column value', 'status', 'color'],
  },
  {
    api: 'Dropbox',
    status: 409,
    body: { error_summary: 'path/not_found/..', error: { '.tag': 'path', path: { '.tag': 'not_found' } } },
    says: ['path/not_found', 'not_found'],
  },
  {
    api: 'Dropbox',
    status: 400,
    type: 'text/plain',
    body: 'Error in call to API function "files/list_folder": request body: path: expected string, got null',
    says: ['path: expected string, got null'],
  },
  {
    api: 'Box',
    status: 400,
    body: {
      type: 'error',
      status: 400,
      code: 'bad_request',
      context_info: {
        errors: [{ reason: 'invalid_parameter', name: 'parent', message: "Invalid value 'd_9'." }],
      },
      help_url: 'https://docs.example',
      message: 'Bad Request',
      request_id: 'r',
    },
    says: ['bad_request', 'parent', 'invalid_parameter', "Invalid value 'd_9'"],
  },
  {
    api: 'Spotify',
    status: 400,
    body: { error: { status: 400, message: 'Invalid limit' } },
    says: ['Invalid limit'],
  },
  {
    api: 'DocuSign',
    status: 400,
    body: {
      errorCode: 'ENVELOPE_IS_INCOMPLETE',
      message: 'The Envelope is not Complete. A Complete Envelope Requires Documents',
    },
    says: ['ENVELOPE_IS_INCOMPLETE', 'Requires Documents'],
  },
  {
    api: 'Okta',
    status: 400,
    body: {
      errorCode: 'E0000001',
      errorSummary: 'Api validation failed: login',
      errorLink: 'E0000001',
      errorId: 'oae',
      errorCauses: [
        { errorSummary: 'login: An object with this field already exists in the current organization' },
      ],
    },
    says: ['E0000001', 'login: An object with this field already exists'],
  },
  {
    api: 'Auth0',
    status: 400,
    body: {
      statusCode: 400,
      error: 'Bad Request',
      message: "Payload validation error: 'Missing required property: connection'.",
      errorCode: 'invalid_body',
    },
    says: ['invalid_body', 'Missing required property: connection'],
  },
  {
    api: 'Contentful',
    status: 422,
    body: {
      sys: { type: 'Error', id: 'ValidationFailed' },
      message: 'Validation error',
      details: {
        errors: [
          {
            name: 'required',
            path: ['fields', 'title', 'en-US'],
            details: 'The property "title" is required here',
          },
        ],
      },
      requestId: 'r',
    },
    says: ['ValidationFailed', 'fields.title.en-US', 'required', 'The property "title" is required here'],
  },
  {
    api: 'Sanity',
    status: 400,
    body: {
      error: {
        description: 'expected "]" following expression',
        type: 'queryParseError',
        start: 3,
        end: 9,
        query: '*[_type',
      },
    },
    says: ['queryParseError', 'expected "]" following expression'],
  },
  {
    api: 'Algolia',
    status: 400,
    body: { message: 'Attribute "objectID" is required', status: 400 },
    says: ['"objectID" is required'],
  },
  { api: 'Mapbox', status: 422, body: { message: 'Invalid search type' }, says: ['Invalid search type'] },
  {
    api: 'OpenWeather',
    status: 400,
    body: { cod: '400', message: 'wrong longitude', parameters: ['lon'] },
    says: ['wrong longitude', 'lon'],
  },
  {
    api: 'Workday',
    status: 400,
    body: {
      error: 'Validation error occurred.',
      errors: [{ error: 'The field startDate must be in the future', field: 'startDate', location: 'body' }],
    },
    says: ['startDate', 'must be in the future', 'Validation error occurred'],
  },
  {
    api: 'ServiceNow',
    status: 403,
    body: {
      error: {
        message: 'Operation Failed',
        detail: 'ACL Exception Update Failed due to security constraints',
      },
      status: 'failure',
    },
    says: ['Operation Failed', 'ACL Exception'],
  },
  {
    api: 'Pipedrive',
    status: 400,
    body: {
      success: false,
      error: 'Bad request',
      error_info: 'Check required fields: title',
      data: null,
      additional_data: null,
    },
    says: ['Check required fields: title'],
  },
  {
    api: 'Toggl',
    status: 400,
    type: 'application/json',
    body: '"workspace_id: must be positive"',
    says: ['workspace_id: must be positive'],
  },
  {
    api: 'Etsy',
    status: 400,
    body: { error: "Invalid parameters: 'shipping_profile_id' must be an integer" },
    says: ["'shipping_profile_id' must be an integer"],
  },
  {
    api: 'Recurly',
    status: 422,
    body: {
      error: {
        type: 'validation',
        message: 'Code has already been taken',
        params: [{ param: 'code', message: 'has already been taken' }],
      },
    },
    says: ['code', 'has already been taken', 'validation'],
  },
  {
    api: 'Chargebee',
    status: 400,
    body: {
      message: 'email : invalid email format',
      type: 'invalid_request',
      api_error_code: 'param_wrong_value',
      param: 'customer[email]',
      error_code: 'param_wrong_value',
      http_status_code: 400,
    },
    says: ['customer[email]', 'invalid email format', 'param_wrong_value', 'invalid_request'],
  },
];
